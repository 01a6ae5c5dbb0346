#pragma once

#include <type_traits>
#include <vector>

#include "geometry/reference.hpp"
#include "torsor/geometry/field.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"

/// Smooth fields with random coefficients on charts and groups, for tests of general identities.
namespace torsor {

using namespace geometry;

/// The numbers that describe a point.
template <class S, int N>
Vector<S, Eigen::Dynamic> features(const Vector<S, N>& q) {
  return q;
}
template <LieGroup G>
Vector<typename G::Scalar, Eigen::Dynamic> features(const G& g) {
  Vector<typename G::Scalar, Eigen::Dynamic> stored(G::nq);
  g.to(stored.data());
  return stored;
}

/// C + x_a A_a + x_a^2 B_a / 2 over the features x_a of a point.
template <int rows, int cols = rows>
class RandomField {
 public:
  template <class Point>
  explicit RandomField(const Matrix<double, rows, cols>& constant, const Point& q) : constant_(constant) {
    for (int a = 0; a < features(q).size(); ++a) {
      linear_.push_back(0.3 * random_matrix<rows, cols>());
      square_.push_back(0.3 * random_matrix<rows, cols>());
    }
  }
  template <class Point>
  auto operator()(const Point& q) const {
    using S = typename Point::Scalar;
    using Value = Matrix<S, rows, cols>;
    const auto x = features(q);
    Value sum = of_entries([](double c) { return S(c); }, constant_);
    for (int a = 0; a < x.size(); ++a) {
      const double* linear = linear_[static_cast<std::size_t>(a)].data();
      const double* square = square_[static_cast<std::size_t>(a)].data();
      const S squared = x[a] * x[a] / S(2);
      for (Eigen::Index i = 0; i < sum.size(); ++i)
        sum.data()[i] += x[a] * S(linear[i]) + squared * S(square[i]);
    }
    return sum;
  }

 private:
  Matrix<double, rows, cols> constant_;
  std::vector<Matrix<double, rows, cols>> linear_, square_;
};

/// A field of regular matrices.
template <int n, class Point>
auto random_basis(const Point& q) {
  return RandomField<n>(2 * Matrix<double, n>::Identity(), q);
}
template <int n, class Point>
auto random_metric_field(const Point& q) {
  return [M = random_basis<n>(q)](const auto& at) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    const Matrix<S, n> value = M(at);
    return Matrix<S, n>(value * value.transpose());
  };
}
template <int n, class Point>
auto random_affinities(const Point& q) {
  return [rows = RandomField<n, n * n>(random_matrix<n, n * n>(), q)](const auto& at) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    const Matrix<S, n, n* n> value = rows(at);
    Tensor3<S, n> L;
    L.columns() = value;
    return L;
  };
}

/// l(q, v) = g(v, v) / 2.
template <class Metric>
auto kinetic_energy(const Metric& metric) {
  return [metric](const auto& q, const auto& v) {
    using S = typename std::decay_t<decltype(v)>::Scalar;
    return S(S(0.5) * v.dot(metric(q) * v));
  };
}

template <LieGroup G>
G random_element() {
  return G::exp(random_vector<G::dof>());
}
using Direct = Product<Rn<3>, SO3<>>;

}  // namespace torsor
