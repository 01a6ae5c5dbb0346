#pragma once

#include "formula_fields.hpp"
#include "torsor/coordinates/chart_system.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

extern template class ChartSystem<scene::FormulaFields>;  // in make_chart.cpp

namespace scene {

inline ChartOptions chart_options(const Scene& scene) {
  return {scene.chart->equations, scene.run.constraints.value_or(Treatment::index_1), scene.run.treatment,
          scene.chart->time_metric};
}

/// The system of the reduced motion (on the slow manifold), expanded to an order from 0 to 3.
std::unique_ptr<Chart> reduced_chart(FormulaFields fields, const ChartOptions& options, int order);

}  // namespace scene
}  // namespace torsor
