#include <stdexcept>

#include "scene/language/formula_chart.hpp"
#include "torsor/report/chart_geometry.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

ChartNames ChartScene::names() const {
  ChartNames all{coordinates, quasi_velocities, constraints};
  if (quasi_velocities.empty())
    for (const std::string& name : coordinates) all.velocities.push_back(name + "'");
  return all;
}

ChartReport chart_report(const Scene& scene, double t, const State& x) {
  const ChartScene& chart = *scene.chart;
  const auto size = static_cast<Eigen::Index>(chart.coordinates.size());
  if (x.q.size() != size || x.v.size() != size)
    throw std::invalid_argument("the state needs a value and a rate for each coordinate");
  const ChartSystem<scene::FormulaFields> system(scene::FormulaFields(chart.formulas),
                                                 scene::chart_options(scene));
  return chart_report(system, chart.names(), t, x);
}

}  // namespace torsor
