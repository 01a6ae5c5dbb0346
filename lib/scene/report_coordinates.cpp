#include <stdexcept>

#include "scene/language/formula_system.hpp"
#include "torsor/report/detail/lagrangian_report.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {

CoordinateNames CoordinateScene::names() const {
  CoordinateNames all{coordinates, quasi_velocities, constraints};
  if (quasi_velocities.empty())
    for (const std::string& name : coordinates) all.velocities.push_back(name + "'");
  return all;
}

CoordinateReport coordinate_report(const Scene& scene, double t, const State& x) {
  const CoordinateScene& described = *scene.in_coordinates;
  const auto size = static_cast<Eigen::Index>(described.coordinates.size());
  if (x.q.size() != size || x.v.size() != size)
    throw std::invalid_argument("the state needs a value and a rate for each coordinate");
  if (described.formulas->lagrangian) {
    const auto system = make_system(scene);
    return detail::lagrangian_report(dynamic_cast<const SystemOfFields<FormulaFields>&>(*system),
                                     described.names(), t, x);
  }
  const SystemOfFields<FormulaFields> system(FormulaFields(described.formulas), coordinate_options(scene));
  return coordinate_report(system, described.names(), t, x);
}

}  // namespace torsor::scene
