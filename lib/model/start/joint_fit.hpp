#pragma once

#include <optional>

#include "torsor/model/model.hpp"

namespace torsor {

// Fits one joint to the known pose and velocity of the body that it carries.

/// The known part of a body's pose in the joint frame F: its mass centre, its attitude, or both.
struct KnownPose {
  std::optional<Vec3> x_F;
  std::optional<SO3<>> R_FB;
};

/// The known part of a body's velocity relative to F, in axes of F: of its mass centre, angular, or both.
struct KnownTwist {
  std::optional<Vec3> v_F, omega_F;
};

/// Coordinates of a link's joint that give the known pose. Degrees of freedom that the known pose does not
/// determine are zero, or close to zero if rotations must bring the mass centre to its known position. If the
/// joint cannot give the known pose, the result is the nearest pose that was found.
void fit_coordinates(const Model& model, int link, const KnownPose& known, double* q);

/// Rates of a link's joint at q that come nearest to the known twist; of several such rates, those of least
/// norm.
void fit_rates(const Model& model, int link, const KnownTwist& known, const double* q, double* v);

}  // namespace torsor
