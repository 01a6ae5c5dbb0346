#include "scene/language/formula_system.hpp"

template class torsor::SystemOfFields<torsor::scene::FormulaFields>;

namespace torsor::scene {

std::unique_ptr<SystemInCoordinates> make_system(const Scene& scene) {
  const CoordinateOptions options = coordinate_options(scene);
  FormulaFields fields(scene.in_coordinates->formulas);
  if (const auto order = options.parameters.reduced_order)
    return reduced_system_of_formulas(std::move(fields), options, *order);
  return std::make_unique<SystemOfFields<FormulaFields>>(std::move(fields), options);
}

}  // namespace torsor::scene
