#pragma once

#include <array>
#include <concepts>
#include <utility>

#include "torsor/lie/types.hpp"

namespace torsor {

/// A Lie group as the integrators and the geometry use it. Functions of algebra vectors, such as exp and
/// dexp, are static; functions of an element, such as log and Ad, are members. Left trivialisation
/// throughout: a velocity is v = g^-1 g', the next element g exp(xi).
///
///   exp, log          exponential of the algebra vector; log is its inverse with rotation angle in [0, pi]
///   Ad, ad            adjoint action of an element; ad(xi) eta = [xi, eta]
///   dexp(xi) w        left-trivialised derivative: g^-1 g' of g = exp(xi(t)) with xi' = w;
///                     dexp_{-xi} of Iserles et al.
///   dexp_inv(xi) w    its inverse: xi' that gives the left velocity w
///   dexp_right(...)   the right-trivialised pair, g' g^-1
///   cay, dcay, ...    the same for the Cayley map
///   ..._transpose     the transposed matrix applied to a covector
///
/// Iserles, Munthe-Kaas, Norsett, Zanna, Lie-group methods, Acta Numerica 9 (2000); their dexp is
/// right-trivialised. `nq` numbers store an element (quaternions x y z w), `dof` numbers its tangent
/// vector, linear part first. The geometry differentiates functions of an element by dual numbers T, so there
/// a group also has the alias Over<T>: the same group over the scalar T.
template <class G>
concept LieGroup = requires(const G& g, const typename G::Tangent& xi, const typename G::Scalar* in,
                            typename G::Scalar* out) {
  { G::dof } -> std::convertible_to<int>;
  { G::nq } -> std::convertible_to<int>;
  { G::identity() } -> std::same_as<G>;
  { G::exp(xi) } -> std::same_as<G>;
  { g.log() } -> std::same_as<typename G::Tangent>;
  { g* g } -> std::same_as<G>;
  { g.inverse() } -> std::same_as<G>;
  { g.normalized() } -> std::same_as<G>;  // back on the group after rounding
  { g.defect() } -> std::same_as<typename G::Scalar>;
  { g.Ad() } -> std::same_as<typename G::Square>;
  { g.Ad(xi) } -> std::same_as<typename G::Tangent>;
  { G::ad(xi) } -> std::same_as<typename G::Square>;
  { G::ad(xi, xi) } -> std::same_as<typename G::Tangent>;
  { G::dexp(xi) } -> std::same_as<typename G::Square>;
  { G::dexp(xi, xi) } -> std::same_as<typename G::Tangent>;
  { G::dexp_inv(xi) } -> std::same_as<typename G::Square>;
  { G::dexp_inv(xi, xi) } -> std::same_as<typename G::Tangent>;
  { G::from(in) } -> std::same_as<G>;  // from nq stored numbers
  {g.to(out)};
};

/// The element brought back to the group after a product of elements, by the group's cheapest method.
template <LieGroup G>
G renormalized(const G& g) {
  if constexpr (requires { g.renormalized(); })
    return g.renormalized();
  else
    return g.normalized();
}

/// g exp(xi) and dexp_inv(xi) w: the element at xi in the exponential chart at g, and the rate of xi at the
/// velocity w. Calls the function `in_chart` of the group if there is one.
template <LieGroup G>
std::pair<G, typename G::Tangent> in_chart(const G& g, const typename G::Tangent& xi,
                                           const typename G::Tangent& w) {
  if constexpr (requires { g.in_chart(xi, w); })
    return g.in_chart(xi, w);
  else
    return {g * G::exp(xi), G::dexp_inv(xi, w)};
}

/// log(g^-1 h): the algebra vector that leads from g to h along the autoparallel.
template <LieGroup G>
typename G::Tangent difference(const G& g, const G& h) {
  return (g.inverse() * h).log();
}

/// The point g exp(s log(g^-1 h)) of the autoparallel from g (s = 0) to h (s = 1).
template <LieGroup G>
G interpolate(const G& g, const G& h, const typename G::Scalar& s) {
  return g * G::exp(s * difference(g, h));
}

/// Structure coefficients of the left-invariant basis: [e_i, e_j] = sum_k c[k][i][j] e_k.
template <LieGroup G>
auto structure_coefficients() {
  constexpr int n = G::dof;
  using Scalar = typename G::Scalar;
  std::array<std::array<std::array<Scalar, n>, n>, n> c;
  for (int i = 0; i < n; ++i) {
    typename G::Tangent e = G::Tangent::Constant(Scalar(0));
    e[i] = Scalar(1);
    const typename G::Square bracket = G::ad(e);
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) c[k][i][j] = bracket(k, j);
    }
  }
  return c;
}

}  // namespace torsor
