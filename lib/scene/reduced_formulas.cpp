#include "formula_chart.hpp"
#include "torsor/sim/reduced_chart.hpp"

namespace torsor::scene {

std::unique_ptr<Chart> reduced_chart(FormulaFields fields, const ChartOptions& options, int order) {
  // Two lengths of series: each costs as much to compile as the rest of this library's charts.
  if (order <= 2) return std::make_unique<ReducedChart<FormulaFields, 2>>(std::move(fields), options, order);
  return std::make_unique<ReducedChart<FormulaFields, 3>>(std::move(fields), options, order);
}

}  // namespace torsor::scene
