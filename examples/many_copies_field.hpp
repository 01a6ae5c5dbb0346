#pragma once

#include <array>

#include "torsor/integrators/field.hpp"
#include "torsor/lie/so3.hpp"

/// Euler's equations of a satellite without torque, over doubles and packs alike. The principal moments of
/// inertia are (1.5, c, 2) kg m^2, where each copy has its own c.
template <class Scalar>
struct EulersEquations {
  Scalar c;
  torsor::Vector<Scalar, 3> operator()(const Scalar&, const torsor::SO3<Scalar>&,
                                       const torsor::Vector<Scalar, 3>& w) const {
    const Scalar first(1.5), third(2);
    return {(c - third) * w[1] * w[2] / first, (third - first) * w[2] * w[0] / c,
            (first - c) * w[0] * w[1] / third};
  }
};

template <class Scalar>
struct Satellite : torsor::MechanicalField<torsor::SO3<Scalar>, EulersEquations<Scalar>> {
  static constexpr int parameters = 1;
  explicit Satellite(const std::array<Scalar, 1>& p)
      : torsor::MechanicalField<torsor::SO3<Scalar>, EulersEquations<Scalar>>({p[0]}) {}
};
