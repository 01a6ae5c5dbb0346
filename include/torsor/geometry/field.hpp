#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "torsor/geometry/detail/entries.hpp"
#include "torsor/geometry/tensor.hpp"
#include "torsor/lie/dual.hpp"

/// Fields are callables over points: field(q) is a number, a vector, a matrix or a tensor over the scalar of
/// q. A point is the vector of a chart's coordinates or an element of a group. Derivatives come from points
/// over dual numbers, so a field is a generic callable:
///
///   const auto metric = [](const auto& q) {
///     using S = typename std::decay_t<decltype(q)>::Scalar;
///     return Matrix<S, 2>{{S(2) + q[0] * q[0], q[1]}, {q[1], S(3)}};
///   };
namespace torsor::geometry {

/// The derivative part of a field's value over dual numbers.
template <class T>
T derivative_part(const Dual<T>& x) {
  return x.derivative;
}
template <class T, int rows, int cols>
Matrix<T, rows, cols> derivative_part(const Matrix<Dual<T>, rows, cols>& M) {
  return of_entries([](const Dual<T>& x) { return x.derivative; }, M);
}
template <template <class, int> class Tensor, class T, int N>
Tensor<T, N> derivative_part(const Tensor<Dual<T>, N>& t) {
  return t.template of_components<T>([](const Dual<T>& x) { return x.derivative; });
}

/// x + e x' with e^2 = 0.
template <class S, int N>
Vector<Dual<S>, N> with_derivative(const Vector<S, N>& x, const Vector<S, N>& rate) {
  Vector<Dual<S>, N> both(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) both[i] = Dual<S>(x[i], rate[i]);
  return both;
}

/// A field with the same components everywhere, such as a left-invariant metric in the left-invariant
/// frame. Its derivatives cost nothing.
template <class Value>
struct Constant {
  Value value;

  template <class Point>
  auto operator()(const Point&) const {
    using S = typename Point::Scalar;
    if constexpr (std::is_same_v<S, typename Value::Scalar>)
      return value;
    else if constexpr (requires { value.eval(); })
      return value.template cast<S>().eval();
    else
      return value.template cast<S>();
  }
};
template <class Value>
Constant(Value) -> Constant<Value>;

template <class Field>
inline constexpr bool is_constant_field = false;
template <class Value>
inline constexpr bool is_constant_field<Constant<Value>> = true;

/// The type of a field's value at a point.
template <class Field, class Point>
using ValueAt = std::decay_t<std::invoke_result_t<const Field&, const Point&>>;

/// One value for each direction of a frame: d[k] belongs to e_k.
template <class Value, int N>
class PerDirection {
 public:
  explicit PerDirection(Eigen::Index n) {
    if constexpr (N == Eigen::Dynamic) values_.resize(static_cast<std::size_t>(n));
  }
  Value& operator[](Eigen::Index k) { return values_[static_cast<std::size_t>(k)]; }
  const Value& operator[](Eigen::Index k) const { return values_[static_cast<std::size_t>(k)]; }
  int size() const { return static_cast<int>(values_.size()); }

 private:
  std::conditional_t<N == Eigen::Dynamic, std::vector<Value>, std::array<Value, std::size_t(std::max(N, 0))>>
      values_;
};

template <class Value>
Value zero_like(const Value& value) {
  if constexpr (requires { value.rows(); })
    return filled<Value>(value.rows(), value.cols(), typename Value::Scalar(0));
  else if constexpr (requires { value.flat(); })
    return Value(value.size());
  else
    return Value(0);
}

/// v(f): the derivative of a field along v, whose components are taken in the frame.
template <class Frame, class Point, class Direction, class Field>
auto derivative_along(const Frame& frame, const Point& q, const Direction& v, const Field& field) {
  if constexpr (is_constant_field<Field>)
    return zero_like(field(q));
  else
    return derivative_part(field(frame.moved(q, v)));
}

/// d[k] = e_k(f): the derivative of a field along every vector of the frame.
template <class Frame, class Point, class Field>
auto frame_derivatives(const Frame& frame, const Point& q, const Field& field) {
  using S = typename Point::Scalar;
  using Components = Vector<S, Frame::dof>;
  using Value = ValueAt<Field, Point>;
  const int n = frame.size(q);
  PerDirection<Value, Frame::dof> d(n);
  for (int k = 0; k < n; ++k) {
    Components e_k = filled<Components>(n, 1, S(0));
    e_k[k] = S(1);
    d[k] = derivative_along(frame, q, e_k, field);
  }
  return d;
}

}  // namespace torsor::geometry
