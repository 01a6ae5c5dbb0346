#include "formula_system.hpp"
#include "torsor/coordinates/reduced_system_of_fields.hpp"

namespace torsor::scene {

std::unique_ptr<SystemInCoordinates> reduced_system_of_formulas(FormulaFields fields,
                                                                const CoordinateOptions& options, int order) {
  // Series of two lengths only: each takes as long to compile as all other systems in coordinates of this
  // library.
  if (order <= 2)
    return std::make_unique<ReducedSystemOfFields<FormulaFields, 2>>(std::move(fields), options, order);
  return std::make_unique<ReducedSystemOfFields<FormulaFields, 3>>(std::move(fields), options, order);
}

}  // namespace torsor::scene
