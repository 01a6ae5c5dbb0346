#pragma once

#include <optional>

#include "torsor/model/model.hpp"

namespace torsor {

// One joint against what is known of the body that it carries.

/// What is known of a body's pose: its mass centre and its attitude, each or both, in the joint frame F.
struct KnownPose {
  std::optional<Vec3> x_F;
  std::optional<SO3<>> R_FB;
};

/// What is known of a body's velocity relative to F: of its mass centre and angular, in axes of F.
struct KnownTwist {
  std::optional<Vec3> v_F, omega_F;
};

/// Coordinates of a link's joint that meet what is known; freedoms that this leaves open are zero, or nearly
/// so where they turn the mass centre into its place. The nearest that is found where the joint cannot meet
/// it.
void fit_coordinates(const Model& model, int link, const KnownPose& known, double* q);

/// Rates of a link's joint at q that meet what is known: the smallest of those that come nearest.
void fit_rates(const Model& model, int link, const KnownTwist& known, const double* q, double* v);

}  // namespace torsor
