#pragma once

#include <utility>

#include "torsor/lie/types.hpp"

namespace torsor {

/// The part that all groups share: the right-trivialised maps are the left-trivialised ones at -xi, since
/// exp(-xi) = exp(xi)^-1 and cay(-xi) = cay(xi)^-1.
template <class G, class S, int n>
struct GroupBase {
  using Scalar = S;
  using Tangent = Vector<S, n>;
  using Square = Matrix<S, n>;
  static constexpr int dof = n;

  /// g exp(xi) and dexp_inv(xi) w: a field in the exponential chart at g. This default is for groups where
  /// the two computations share no terms.
  std::pair<G, Tangent> in_chart(const Tangent& xi, const Tangent& w) const {
    return {static_cast<const G&>(*this) * G::exp(xi), G::dexp_inv(xi, w)};
  }

  static Square dexp_right(const Tangent& xi) { return G::dexp(Tangent(-xi)); }
  static Tangent dexp_right(const Tangent& xi, const Tangent& w) { return G::dexp(Tangent(-xi), w); }
  static Square dexp_inv_right(const Tangent& xi) { return G::dexp_inv(Tangent(-xi)); }
  static Tangent dexp_inv_right(const Tangent& xi, const Tangent& w) { return G::dexp_inv(Tangent(-xi), w); }
  static Square dcay_right(const Tangent& xi) { return G::dcay(Tangent(-xi)); }
  static Tangent dcay_right(const Tangent& xi, const Tangent& w) { return G::dcay(Tangent(-xi), w); }
  static Square dcay_inv_right(const Tangent& xi) { return G::dcay_inv(Tangent(-xi)); }
  static Tangent dcay_inv_right(const Tangent& xi, const Tangent& w) { return G::dcay_inv(Tangent(-xi), w); }

 protected:
  /// The matrix of a linear map given by its action.
  template <class Map>
  static Square matrix_of(const Map& map) {
    Square M;
    for (int j = 0; j < n; ++j) M.col(j) = map(unit(j));
    return M;
  }
  static Tangent unit(int j) {
    Tangent e = Tangent::Zero();
    e[j] = S(1);
    return e;
  }
};

}  // namespace torsor
