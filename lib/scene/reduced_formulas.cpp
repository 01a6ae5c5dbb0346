#include "formula_chart.hpp"
#include "torsor/sim/reduced_chart.hpp"

namespace torsor::scene {

std::unique_ptr<Chart> reduced_chart(FormulaFields fields, const ChartOptions& options, int order) {
  switch (order) {
    case 0:
      return std::make_unique<ReducedChart<FormulaFields, 0>>(std::move(fields), options);
    case 1:
      return std::make_unique<ReducedChart<FormulaFields, 1>>(std::move(fields), options);
    case 2:
      return std::make_unique<ReducedChart<FormulaFields, 2>>(std::move(fields), options);
    default:
      return std::make_unique<ReducedChart<FormulaFields, 3>>(std::move(fields), options);
  }
}

}  // namespace torsor::scene
