#pragma once

#include <cmath>
#include <concepts>

/// The operations that generic code uses on a Scalar besides + - * / and comparisons. A Scalar is a
/// floating-point number, a pack (pack.hpp), a dual number (dual.hpp) or a power series
/// (geometry/detail/taylor.hpp). ScalarOps contains the operations that differ between them.
///
/// A comparison gives a mask: bool, or one truth value a lane. Arithmetic never branches on a mask; it
/// computes both sides and selects. The one branch allowed skips work that no lane needs: `if (!every(near))
/// ...`.
namespace torsor {

template <class Scalar>
struct ScalarOps;

template <class Mask>
struct MaskOps;

template <>
struct MaskOps<bool> {
  static bool every(bool mask) { return mask; }
  static bool some(bool mask) { return mask; }
};

template <std::floating_point T>
struct ScalarOps<T> {
  using Real = T;  ///< the floating-point number of one lane, without derivatives
  static T select(bool mask, const T& yes, const T& no) { return mask ? yes : no; }
  static T square_root(const T& x) { return std::sqrt(x); }
  static T absolute(const T& x) { return std::abs(x); }
  static constexpr int lanes = 1;
  static T get(const T& x, int) { return x; }
  static void set(T& x, int, T value) { x = value; }
};

/// The floating-point type inside a scalar: double for a pack of doubles or a dual number over them.
template <class Scalar>
using RealOf = typename ScalarOps<Scalar>::Real;

/// A literal constant, given in the widest type, in every lane and without derivative.
template <class Scalar>
constexpr Scalar constant(long double value) {
  return Scalar(static_cast<RealOf<Scalar>>(value));
}

/// Number of copies that a scalar carries, and one of them.
template <class Scalar>
inline constexpr int lanes = ScalarOps<Scalar>::lanes;
template <class Scalar>
RealOf<Scalar> lane(const Scalar& x, int i) {
  return ScalarOps<Scalar>::get(x, i);
}

template <class Mask>
inline bool every(const Mask& mask) {
  return MaskOps<Mask>::every(mask);
}
template <class Mask>
inline bool some(const Mask& mask) {
  return MaskOps<Mask>::some(mask);
}

/// `yes` in the lanes where the mask is true, `no` in the others; derivatives go with their values.
template <class Mask, class Scalar>
inline Scalar select(const Mask& mask, const Scalar& yes, const Scalar& no) {
  return ScalarOps<Scalar>::select(mask, yes, no);
}

// Calls of these functions in the library are fully qualified, since packs have functions of the same names.
template <class Scalar>
inline Scalar max(const Scalar& x, const Scalar& y) {
  return torsor::select(x < y, y, x);
}
template <class Scalar>
inline Scalar min(const Scalar& x, const Scalar& y) {
  return torsor::select(y < x, y, x);
}
/// The greater number; NaN if either is NaN, which max can drop.
template <class Scalar>
inline Scalar max_or_nan(const Scalar& x, const Scalar& y) {
  return torsor::select(x < y || y != y, y, x);
}
/// `size` in the lanes where `sum` is finite, `sum` in the others. With a branch, doubles do not wait for the
/// sum.
template <class Scalar>
inline Scalar size_if_finite(const Scalar& size, const Scalar& sum) {
  const auto finite = sum - sum == Scalar(0);
  if (every(finite)) [[likely]]
    return size;
  return torsor::select(finite, size, sum);
}
template <class Scalar>
inline Scalar abs(const Scalar& x) {
  if constexpr (requires { ScalarOps<Scalar>::absolute(x); })
    return ScalarOps<Scalar>::absolute(x);
  else
    return torsor::select(x < Scalar(0), Scalar(-x), x);
}
/// Trap: the derivative of sqrt at 0 is infinite, so keep a dual argument away from 0 with max.
template <class Scalar>
inline Scalar sqrt(const Scalar& x) {
  return ScalarOps<Scalar>::square_root(x);
}

}  // namespace torsor
