#pragma once

#include "formula_fields.hpp"
#include "torsor/coordinates/system_of_fields.hpp"
#include "torsor/scene/scene.hpp"

extern template class torsor::SystemOfFields<torsor::scene::FormulaFields>;  // in make_system.cpp

namespace torsor::scene {

/// Throws SceneError for a scene of bodies.
inline const CoordinateScene& coordinates_of(const Scene& scene) {
  if (!scene.in_coordinates)
    throw SceneError({{scene.name, 0, 0, "a scene of bodies has no system in coordinates; use make_model"}});
  return *scene.in_coordinates;
}

inline CoordinateOptions coordinate_options(const Scene& scene) {
  const CoordinateScene& described = coordinates_of(scene);
  return {described.equations, scene.run.constraints.value_or(Treatment::index_1), scene.run.treatment,
          described.time_metric};
}

/// The system of the reduced motion (on the slow manifold), expanded to an order from 0 to 3.
std::unique_ptr<SystemInCoordinates> reduced_system_of_formulas(FormulaFields fields,
                                                                const CoordinateOptions& options, int order);

/// Whether the connection in use meets the weak condition for the velocities that the exact constraint rows
/// allow. False without exact rows.
bool compatible_under_rows(const Scene& scene, double t, const Vec& q);

}  // namespace torsor::scene
