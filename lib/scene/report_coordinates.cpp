#include <cmath>
#include <functional>
#include <stdexcept>

#include "floating_point.hpp"
#include "scene/language/formula_system.hpp"
#include "torsor/coordinates/run.hpp"
#include "torsor/report/detail/coordinate_curves.hpp"
#include "torsor/report/detail/lagrangian_report.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {
namespace {

void check_state(const CoordinateScene& scene, const State& x) {
  const auto size = static_cast<Eigen::Index>(scene.coordinates.size());
  if (x.q.size() != size || x.v.size() != size)
    throw std::invalid_argument("the state needs a value and a rate for each coordinate");
}

}  // namespace

CoordinateNames CoordinateScene::names() const {
  CoordinateNames all{coordinates, quasi_velocities, constraints};
  if (quasi_velocities.empty())
    for (const std::string& name : coordinates) all.velocities.push_back(name + "'");
  return all;
}

std::string_view CoordinateScene::equations_name() const {
  return connection.empty() ? to_string(equations) : std::string_view(connection);
}

CoordinateReport coordinate_report(const Scene& scene, double t, const State& x) {
  const mechanics::DefaultArithmetic arithmetic;
  const CoordinateScene& described = coordinates_of(scene);
  check_state(described, x);
  if (described.formulas->lagrangian) {
    const auto system = make_system(scene);
    return detail::lagrangian_report(dynamic_cast<const SystemOfFields<FormulaFields>&>(*system),
                                     described.names(), t, x);
  }
  const SystemOfFields<FormulaFields> system(FormulaFields(described.formulas), coordinate_options(scene));
  CoordinateReport report = coordinate_report(system, described.names(), t, x);
  if (!described.connection.empty()) report.connection = described.connection;
  return report;
}

bool compatible_under_rows(const Scene& scene, double t, const Vec& q) {
  const SystemOfFields<FormulaFields> system(FormulaFields(scene.in_coordinates->formulas),
                                             coordinate_options(scene));
  if (system.rows() == 0) return false;
  const Vec e = geometry::event<double, Eigen::Dynamic>(q, t);
  const auto basis = detail::allowed_basis(system.geometry(), system.rows(), e);
  const auto L = geometry::in_frame_below(connection_of(system.affinities()));
  return detail::constrained_compatibility(basis, L, system.geometry().metric(), e).weak <=
         AffinitiesAt::rounding;
}

namespace {

/// The accuracy that a motion in fixed steps is assumed to have; its error is not known.
constexpr double accuracy_of_fixed_steps = 1e-6;

/// The motion from a state, at these times.
std::vector<detail::MotionPoint> motion_at(const Scene& scene, double t, const State& x,
                                           const std::vector<double>& times,
                                           const std::function<bool()>& cancelled) {
  const auto system = make_system(scene);
  SimulationOptions options = scene.run;
  options.t_begin = t, options.t_end = times.back();
  options.output_step = options.t_end - t, options.output_times = times;
  if (cancelled) options.cancelled = cancelled;
  std::vector<detail::MotionPoint> motion;
  const auto keep = [&](const Sample& sample) {
    detail::MotionPoint point{sample.t, sample.x.q, sample.x.v};
    if (const VelocityMap* const map = system->velocity_map())
      map->velocity(sample.t, sample.x.q, sample.x.v, point.u);
    motion.push_back(std::move(point));
  };
  const RunSummary end = run(*system, x, options, {}, keep).summary;
  if (end.status != StepStatus::reached_end) throw EvaluationError(end.status, end.message);
  return motion;
}

void check_request(const CoordinateScene& scene, const CurveRequest& request) {
  if (scene.formulas->lagrangian) throw std::invalid_argument("curves need a scene that has a metric");
  const auto size = static_cast<Eigen::Index>(scene.coordinates.size());
  for (const Vec* one : {&request.direction, &request.vector})
    if (one->size() != 0 && one->size() != size)
      throw std::invalid_argument(
          "the direction and the vector of curves need a component for each coordinate");
  if (!(request.duration > 0 && std::isfinite(request.duration)))
    throw std::invalid_argument("the duration of curves must be positive and finite");
  if (request.intervals < 1) throw std::invalid_argument("curves need at least one interval");
}

}  // namespace

CoordinateCurves coordinate_curves(const Scene& scene, double t, const State& x,
                                   const CurveRequest& request) {
  const mechanics::DefaultArithmetic arithmetic;
  const CoordinateScene& described = coordinates_of(scene);
  check_state(described, x);
  check_request(described, request);
  const SystemOfFields<FormulaFields> system(FormulaFields(described.formulas), coordinate_options(scene));
  const detail::CurveFollower follower(system, request);
  CoordinateCurves curves;
  curves.frame = described.frame;
  curves.connections = follower.connections(t, x.q, described.frame);
  for (int k = 0; k <= request.intervals; ++k) curves.t.push_back(follower.time(t, k));
  curves.autoparallels = follower.autoparallels(t, x.q, x.v);
  for (const detail::MotionPoint& point : motion_at(scene, t, x, curves.t, request.cancelled)) {
    curves.q.push_back(point.q);
    curves.velocity.push_back(follower.velocity(point));
  }
  if (request.vector.size() > 0)
    curves.along_motion = follower.along_motion(
        t, scene.run.tolerance_in_force().value_or(accuracy_of_fixed_steps),
        [&](const std::vector<double>& times) { return motion_at(scene, t, x, times, request.cancelled); });
  return curves;
}

}  // namespace torsor::scene
