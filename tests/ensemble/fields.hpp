#pragma once

#include <array>

#include "torsor/integrators/field.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/so3.hpp"

namespace torsor::test {

/// Tops with principal inertias (1, c, 2) about a fixed point. The weight has the moment m e_y x up in body
/// axes, and the vector `up` has a horizontal component that grows with time.
template <class Scalar>
struct TopMotion {
  Scalar c, m;
  Vector<Scalar, 3> operator()(const Scalar& t, const SO3<Scalar>& R, const Vector<Scalar, 3>& w) const {
    const Vector<Scalar, 3> up = R.inverse() * Vector<Scalar, 3>(Scalar(0.1) * t, Scalar(0), Scalar(1));
    const Scalar one(1), two(2);
    return {(c - two) * w[1] * w[2] + m * up[2], (two - one) * w[2] * w[0] / c,
            ((one - c) * w[0] * w[1] - m * up[0]) / two};
  }
};
template <class Scalar>
struct Top : MechanicalField<SO3<Scalar>, TopMotion<Scalar>> {
  static constexpr int parameters = 2;
  explicit Top(const std::array<Scalar, 2>& p)
      : MechanicalField<SO3<Scalar>, TopMotion<Scalar>>({p[0], p[1]}) {}
};

/// A frame whose twist is a given function of its pose and of time.
template <class Scalar>
struct ScrewStream {
  Vector<Scalar, 6> operator()(const Scalar& t, const SE3<Scalar>& X) const {
    Vector<Scalar, 6> twist;
    const Vector<Scalar, 3> axis = X.R.inverse() * X.p;
    for (int i = 0; i < 3; ++i) {
      twist[i] = Scalar(0.3 * i - 0.2) + Scalar(0.1) * t * axis[i];
      twist[3 + i] = Scalar(0.5 - 0.4 * i) + Scalar(0.2) * axis[i];
    }
    return twist;
  }
};
template <class Scalar>
struct Frame : GroupField<SE3<Scalar>, ScrewStream<Scalar>> {
  Frame() : GroupField<SE3<Scalar>, ScrewStream<Scalar>>(ScrewStream<Scalar>()) {}
};

/// A line whose points move so fast that they soon overflow.
template <class Scalar>
struct FastStream {
  Vector<Scalar, 1> operator()(const Scalar&, const Rn<1, Scalar>&) const {
    return Vector<Scalar, 1>::Constant(Scalar(1e306));
  }
};
template <class Scalar>
struct Overflow : GroupField<Rn<1, Scalar>, FastStream<Scalar>> {
  Overflow() : GroupField<Rn<1, Scalar>, FastStream<Scalar>>(FastStream<Scalar>()) {}
};

}  // namespace torsor::test
