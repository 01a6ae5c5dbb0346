#include "scene/language/formula_chart.hpp"

namespace torsor {

template class ChartSystem<scene::FormulaFields>;

std::unique_ptr<Chart> make_chart(const Scene& scene) {
  const ChartOptions options = scene::chart_options(scene);
  scene::FormulaFields fields(scene.chart->formulas);
  if (const auto order = options.parameters.reduced_order)
    return scene::reduced_chart(std::move(fields), options, *order);
  return std::make_unique<ChartSystem<scene::FormulaFields>>(std::move(fields), options);
}

}  // namespace torsor
