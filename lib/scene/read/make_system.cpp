#include "scene/language/formula_system.hpp"

namespace torsor {

template class SystemOfFields<scene::FormulaFields>;

std::unique_ptr<SystemInCoordinates> make_system(const Scene& scene) {
  const CoordinateOptions options = scene::coordinate_options(scene);
  scene::FormulaFields fields(scene.in_coordinates->formulas);
  if (const auto order = options.parameters.reduced_order)
    return scene::reduced_system_of_formulas(std::move(fields), options, *order);
  return std::make_unique<SystemOfFields<scene::FormulaFields>>(std::move(fields), options);
}

}  // namespace torsor
