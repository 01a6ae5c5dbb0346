#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "coordinate_reader.hpp"
#include "scene/language/formula_system.hpp"
#include "torsor/coordinates/detail/mass_matrix.hpp"

namespace torsor::scene {
namespace {

/// Largest residual that counts as rounding, in the unit of the formula: starts are written with nine digits
/// and more.
constexpr double rounding = 1e-9;

/// A direction as a sum of rates, such as "x' + 2 y'".
std::string sum_of_rates(const Vec& direction, const std::vector<std::string>& coordinates) {
  std::string text;
  for (Eigen::Index i = 0; i < direction.size(); ++i) {
    const double c = direction[i], size = std::abs(c);
    if (size == 0) continue;
    text += text.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    if (std::abs(size - 1) > 1e-9) text += fmt::format("{:.6g} ", size);
    text += coordinates[static_cast<std::size_t>(i)] + "'";
  }
  return text;
}

void check_lagrangian(const Eigen::MatrixXd& M, const std::vector<std::string>& coordinates,
                      const TableReader& table) {
  if (!M.allFinite())
    return table.error("lagrangian",
                       "\"lagrangian\" of [chart]: its second derivatives by the rates are not finite at the "
                       "start");
  const Eigen::MatrixXd without = directions_without_inertia(M);
  std::string all;
  for (Eigen::Index j = 0; j < without.cols(); ++j)
    all += (j == 0                   ? ""
            : j + 1 < without.cols() ? ", "
                                     : " and ") +
           sum_of_rates(without.col(j), coordinates);
  if (!all.empty())
    table.error("lagrangian",
                fmt::format("\"lagrangian\" of [chart] is singular: it has no inertia along {}", all));
}

void check_mass(const SystemInCoordinates& system, double t, const CoordinateScene& scene,
                const TableReader& table) {
  const int n = system.size();
  Eigen::MatrixXd g(n, n);
  Vec column(n);
  for (int j = 0; j < n; ++j) {
    system.mass_times(t, scene.start.q, scene.start.v, Vec::Unit(n, j), column);
    g.col(j) = column;
  }
  if (table.find("lagrangian")) return check_lagrangian(g, scene.coordinates, table);
  constexpr double singular = 1e-14;                      // a reciprocal condition near rounding
  const Vec d = g.diagonal().cwiseSqrt().cwiseInverse();  // the condition of D g D has no units
  const Eigen::LLT<Eigen::MatrixXd> llt(d.asDiagonal() * g * d.asDiagonal());
  if (llt.info() == Eigen::Success && llt.rcond() > singular) return;
  table.error(table.find("metric") ? "metric" : "particle",
              "the mass matrix of [chart] is not positive definite at the start");
}

/// Checks the weak condition at the start and at two positions near it, since it may hold by chance at one
/// position. Each coordinate moves by up to 0.05 or 0.1 there. The sines give the moves unequal sizes and
/// signs.
void check_connection(const SystemInCoordinates& system, double t, const Scene& whole,
                      const TableReader& table) {
  if (!system.by_connection()) return;
  const CoordinateScene& scene = *whole.in_coordinates;
  const Vec& q = scene.start.q;
  for (int k = 0; k < 3; ++k) {
    Vec near = q;
    for (Eigen::Index j = 0; j < q.size(); ++j)
      near[j] += k * 0.05 * sin_cos(12.9898 * static_cast<double>(j + 1) * k).sin;
    const AffinitiesAt at = system.affinities_at(t, near);
    const double residual = at.weak_residual();
    if (!std::isfinite(residual) || residual <= AffinitiesAt::rounding) continue;
    std::vector<std::string> place;
    for (Eigen::Index j = 0; j < q.size() && k > 0; ++j)
      place.push_back(fmt::format("{} = {:.6g}", scene.coordinates[static_cast<std::size_t>(j)], near[j]));
    return refuse_connection(
        table, at,
        fmt::format(
            "the connection \"{}\" does not give the motion: {}{}", scene.connection,
            at.fault(place.empty() ? "the start" : fmt::format("{}", fmt::join(place, ", "))),
            compatible_under_rows(whole, t, near)
                ? "; under the constraints the connection would give the accelerations, but not the reactions"
                : ""));
  }
}

/// Projects the start onto the constraints. Unless `project`, reports every residual larger than rounding.
/// The reports say that the projection corrects the start, so they come after a projection that succeeds.
void check_rows(const SystemInCoordinates& system, double t, CoordinateScene& scene, bool project,
                std::vector<std::string>& notes, const TableReader& table) {
  Vec phi(system.rows()), psi(system.rows());
  system.position_residual(t, scene.start.q, phi);
  State moved = scene.start;
  system.project_position(t, moved.q);
  system.velocity_residual(t, moved.q, moved.v, psi);
  system.project_velocity(t, moved.q, moved.v);
  const auto tell = [&](const Vec& residual, const char* key, const char* level) {
    for (Eigen::Index i = 0; i < residual.size(); ++i)
      if (!(std::abs(residual[i]) <= rounding) && !project)
        table.error(
            key, fmt::format("the start violates constraint \"{}\" by {:.3g} in its {}; consistent = "
                             "\"project\" corrects it",
                             scene.constraints[static_cast<std::size_t>(i)], std::abs(residual[i]), level));
  };
  tell(phi, "start", "position");
  tell(psi, table.find("velocities") ? "velocities" : "rates", "velocity");
  const double dq = (moved.q - scene.start.q).cwiseAbs().maxCoeff(),
               dv = (moved.v - scene.start.v).cwiseAbs().maxCoeff();
  if (std::max(dq, dv) > rounding)
    notes.push_back(fmt::format(
        "the start was projected: coordinates moved by up to {:.3g}, rates by up to {:.3g}", dq, dv));
  scene.start = moved;
}

}  // namespace

void check_coordinate_start(Reading& reading) {
  Scene& scene = reading.scene;
  const TableReader table = reading.section("chart");
  const double t = scene.run.t_begin;
  const auto system = make_system(scene);
  check_mass(*system, t, *scene.in_coordinates, table);
  if (!reading.diagnostics.empty()) return;
  check_connection(*system, t, scene, table);
  if (system->rows() == 0) return;
  try {
    check_rows(*system, t, *scene.in_coordinates, scene.consistent == Consistency::project, scene.notes,
               table);
  } catch (const EvaluationError& error) {
    table.error("constraint",
                fmt::format("the start cannot be brought to the constraints: {}", error.what()));
  }
}

}  // namespace torsor::scene
