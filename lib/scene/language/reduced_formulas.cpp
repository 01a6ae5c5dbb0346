#include "formula_chart.hpp"
#include "torsor/coordinates/reduced_chart.hpp"

namespace torsor::scene {

std::unique_ptr<Chart> reduced_chart(FormulaFields fields, const ChartOptions& options, int order) {
  // Series of two lengths only: each takes as long to compile as all other systems in coordinates of this
  // library.
  if (order <= 2) return std::make_unique<ReducedChart<FormulaFields, 2>>(std::move(fields), options, order);
  return std::make_unique<ReducedChart<FormulaFields, 3>>(std::move(fields), options, order);
}

}  // namespace torsor::scene
