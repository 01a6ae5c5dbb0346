#include <Eigen/Cholesky>

#include "scene/language/formula_system.hpp"
#include "torsor/coordinates/lagrangian_system.hpp"

template class torsor::SystemOfFields<torsor::scene::FormulaFields>;

namespace torsor::scene {
namespace {

/// The mass matrix counts as a metric if L is a polynomial of at most the second degree in the rates and the
/// mass matrix is positive definite at the start.
std::unique_ptr<SystemInCoordinates> system_of_lagrangian(FormulaFields fields,
                                                          const CoordinateOptions& options,
                                                          const Scene& scene) {
  using System = LagrangianSystem<FormulaFields>;
  const State& start = scene.in_coordinates->start;
  const int n = fields.size();
  bool mass_is_metric = scene.in_coordinates->formulas->lagrangian->is_quadratic(n + 1, 2 * n + 1);
  if (mass_is_metric) {
    const Eigen::LLT<Eigen::MatrixXd> llt(System(fields, options).mass(scene.run.t_begin, start.q, start.v));
    mass_is_metric = llt.info() == Eigen::Success;
  }
  return std::make_unique<System>(std::move(fields), options, mass_is_metric);
}

}  // namespace

std::unique_ptr<SystemInCoordinates> make_system(const Scene& scene) {
  const CoordinateOptions options = coordinate_options(scene);
  FormulaFields fields(scene.in_coordinates->formulas);
  if (const auto order = options.parameters.reduced_order)
    return reduced_system_of_formulas(std::move(fields), options, *order);
  if (scene.in_coordinates->formulas->lagrangian)
    return system_of_lagrangian(std::move(fields), options, scene);
  return std::make_unique<SystemOfFields<FormulaFields>>(std::move(fields), options);
}

}  // namespace torsor::scene
