#include "coordinates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "geometry_text.hpp"
#include "process.hpp"
#include "verbs.hpp"

namespace torsor::cli {

std::string number_text(double value, double terms) {
  return fmt::format("{:.6g}", std::abs(value) < 1e-13 * terms ? 0. : value + 0.);  // no -0
}

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string coordinate_numbers(const Vec& values) {
  std::vector<std::string> all;
  for (const double value : values) all.push_back(number_text(value));
  return fmt::format("{}", fmt::join(all, " "));
}

std::string row_traits(const RowReport& row) {
  return to_string(row.level) + std::string(row.gives_way ? ", gives way to friction" : "");
}

/// Adds one line for each component, the greatest first. If there are more than `most`, the last line counts
/// the others.
void add_components(Rows& rows, const std::string& name, std::vector<NamedComponent> all,
                    std::size_t most = 12) {
  if (all.empty()) {
    rows.push_back({name, "0"});
    return;
  }
  std::stable_sort(all.begin(), all.end(), [](const NamedComponent& a, const NamedComponent& b) {
    return std::abs(a.value) > std::abs(b.value) * (1 + 1e-9);
  });
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
    rows.push_back({i == 0 ? name : "", number_text(all[i].value), all[i].name});
  if (all.size() > most) rows.push_back({"", fmt::format("... {} more: --json", all.size() - most)});
}

/// Adds one line for each value with its name; the title stands in the first line.
void add_values(Rows& rows, const std::string& title, const std::vector<std::string>& names,
                const Vec& values) {
  for (std::size_t i = 0; i < names.size(); ++i)
    rows.push_back({i == 0 ? title : "", number_text(values[static_cast<Eigen::Index>(i)]), names[i]});
}

std::string time_text(const CoordinateReport& report, const CoordinateNames& names) {
  const CoordinateTimeReport& time = report.time;
  Rows facts = {{"verdict", time_verdict(time, time.basis.cols() > 0)}};
  if (time.basis.cols() > 0) {
    facts.push_back({"S1", fmt::format("{:.3g} here relative to the metric, up to {:.3g} nearby, 1/s",
                                       time.S1_scaled, time.S1_around)});
    facts.push_back({"S2", fmt::format("{} here relative to g(V, V), up to {:.3g} nearby",
                                       coordinate_numbers(time.S2 / std::max(std::abs(time.g_VV), 1e-300)),
                                       time.S2_around)});
    facts.push_back({"g(V, V)", fmt::format("{} J; S2 are its slopes", number_text(time.g_VV))});
    std::vector<std::string> V = {"d/dt"};
    for (Eigen::Index i = 0; i < time.V.size(); ++i)
      if (const std::string part = number_text(time.V[i], time.V_terms[i]); part != "0")
        V.push_back(fmt::format("{} d/d{}", part, names.coordinates[static_cast<std::size_t>(i)]));
    facts.push_back({"V", fmt::format("{}", fmt::join(V, " + "))});
    facts.push_back({"examined", fmt::format("{} state{}", time.states, time.states == 1 ? "" : "s")});
  }
  if (!time.causes.empty())
    facts.push_back({time.removable && time.basis.cols() > 0 ? "contain t or a0" : "caused by",
                     fmt::format("{}", fmt::join(time.causes, ", "))});
  return section("Time") + table(facts, 2);
}

/// Strong compatibility is equality with the Christoffel connection.
std::string compatible(double strong) {
  return strong <= AffinitiesAt::rounding
             ? "strongly compatible: it is the Christoffel connection"
             : "weakly compatible, not strongly: it gives the motion and is not the Christoffel connection";
}

std::string connection_text(const CoordinateReport& report) {
  Rows connection = {{"connection", report.connection}};
  add_components(connection, "affinities", report.affinities);
  add_components(connection, "torsion", report.torsion);
  add_components(connection, "curvature", report.curvature);
  add_components(connection, "non-metricity", report.non_metricity);
  connection.push_back({"weak", fmt::format("{:.1g}", report.weak)});
  connection.push_back({"strong", fmt::format("{:.2g}", report.strong)});
  if (report.is_constrained())
    connection.insert(connection.end(),
                      {{"under the rows: weak", fmt::format("{:.1g}", report.constrained_weak)},
                       {"under the rows: strong", fmt::format("{:.2g}", report.constrained_strong)}});
  return table(connection, 2) + fmt::format("  {}\n", compatible(report.strong)) +
         "  weak 0: gives the motion; strong 0: it is the Christoffel connection\n";
}

std::string constraints_text(const CoordinateReport& report, const CoordinateNames& names) {
  if (report.rows.empty()) return "  none\n";
  Rows rows = {{"constraint", "level", "time", "a0"}};
  if (report.has_metric) rows.front().insert(rows.front().end(), {"multiplier of N", "of loads"});
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const RowReport& row = report.rows[i];
    const auto place = static_cast<Eigen::Index>(i);
    const bool exact = place < report.bending_multipliers.size();
    const double bending = exact ? report.bending_multipliers[place] : 0,
                 load = exact ? report.load_multipliers[place] : 0;
    rows.push_back({row.constraint, row_traits(row), row.rheonomic ? "of t" : "",
                    row.offset == 0 ? "" : number_text(row.offset),
                    exact ? number_text(bending, std::abs(load)) : "",
                    exact ? number_text(load, std::abs(bending)) : ""});
  }
  if (!report.has_metric) return table(rows, 2);
  Rows bending;
  add_values(bending, "N", names.coordinates, report.bending);
  return table(rows, 2) + "  N, the acceleration that the constraints cause without loads:\n" +
         table(bending, 2);
}

std::string friction_text(const SlowManifoldReport& slip) {
  const bool expanded = slip.sigma_1.size() > 0;
  Rows facts = {{expanded ? "slip A v" : "slip A v + a0", coordinate_numbers(slip.slip)}};
  if (expanded)
    facts.insert(facts.end(), {{"sigma_1, sigma_2",
                                coordinate_numbers(slip.sigma_1) + ", " + coordinate_numbers(slip.sigma_2)},
                               {"h_1", coordinate_numbers(slip.h_1)},
                               {"h_2", coordinate_numbers(slip.h_2)}});
  return section(expanded
                     ? "Friction: v = u + eps h_1 + eps^2 h_2 on the slow manifold, A v = eps sigma_1 + ..."
                     : "Friction") +
         table(facts, 2);
}

std::string connections_text(const CoordinateCurves& curves) {
  const auto text = [](const NamedComponent& one) {
    return one.name.empty() ? "0" : fmt::format("{} ({})", number_text(one.value), one.name);
  };
  Rows rows = {{"connection", "torsion", "curvature", "non-metricity", "weak", "strong"}};
  for (const FrameConnection& one : curves.connections)
    rows.push_back({one.name, text(one.torsion), text(one.curvature), text(one.non_metricity),
                    fmt::format("{:.1g}", one.weak), fmt::format("{:.2g}", one.strong)});
  return section("Connections of the frame, greatest components in this frame") + table(rows, 2);
}

}  // namespace

std::string check_text(const scene::Scene& scene, const SystemInCoordinates& system,
                       const scene::StartRows& constraints, const Sample& start) {
  const scene::CoordinateScene& described = *scene.in_coordinates;
  const int freedoms = system.size() - constraints.rows + constraints.redundant;
  const auto trait = [&](std::size_t row) {
    const std::vector<std::string>& names = constraints.redundant_names;
    const bool redundant = std::find(names.begin(), names.end(), described.constraints[row]) != names.end();
    return static_cast<int>(row) >= system.rows() ? "gives way to friction" : redundant ? "redundant" : "";
  };
  const std::string control = scene.run.step ? fmt::format("step {} s", *scene.run.step)
                                             : fmt::format("tolerance {}", scene.run.tolerance.value_or(0));
  std::string text = fmt::format(
      "{}{}{}{}{}\n  {} coordinate{}, {} constraint{}, {} degree{} of freedom\n  {}, {}, equations: {}, from "
      "t = {} to {} s\n\n",
      style_begin(Style::bold, 1), scene.name, style_end(1), scene.title.empty() ? "" : ": ", scene.title,
      system.size(), system.size() == 1 ? "" : "s", described.constraints.size(),
      described.constraints.size() == 1 ? "" : "s", freedoms, freedoms == 1 ? "" : "s", scene.run.method,
      control, described.equations_name(), scene.run.t_begin, scene.run.t_end);
  Rows rows = {{"coordinate", "value", "rate", "acceleration"}};
  for (int i = 0; i < system.size(); ++i)
    rows.push_back({described.coordinates[static_cast<std::size_t>(i)], number_text(start.x.q[i]),
                    number_text(start.x.v[i]), number_text(start.a[i])});
  text += table(rows, 2);
  if (!described.quasi_velocities.empty()) {
    rows = {{"quasi-velocity", "value"}};
    for (std::size_t i = 0; i < described.quasi_velocities.size(); ++i)
      rows.push_back(
          {described.quasi_velocities[i], number_text(start.quasi_velocities[static_cast<Eigen::Index>(i)])});
    text += "\n" + table(rows, 2);
  }
  if (!described.constraints.empty()) {
    const std::vector<RowLevel> levels = row_levels(system, start.t, start.x.q);
    rows = {{"constraint", "level", "", "multiplier"}};
    for (std::size_t i = 0; i < levels.size(); ++i)
      rows.push_back({described.constraints[i], to_string(levels[i]), trait(i),
                      number_text(start.multipliers[static_cast<Eigen::Index>(i)])});
    text += "\n" + table(rows, 2);
  }
  rows = {{"energy", fmt::format("{:.10g} J (kinetic {:.6g}, potential {:.6g})", start.invariants.energy(),
                                 start.invariants.kinetic, start.invariants.potential)},
          {"residuals", fmt::format("position {:.2g}, velocity {:.2g}, acceleration {:.2g}",
                                    start.invariants.position_residual, start.invariants.velocity_residual,
                                    start.invariants.acceleration_residual)}};
  if (system.by_connection()) {
    const double strong = system.affinities_at(start.t, start.x.q).strong_residual();
    rows.push_back({"connection", compatible(strong)});
  }
  return text + "\n" + table(rows, 2);
}

std::size_t accurate_outputs(const Autoparallel& curve) {
  const auto none = std::find_if(curve.q.begin(), curve.q.end(), [](const Vec& q) { return !q.allFinite(); });
  return static_cast<std::size_t>(none - curve.q.begin());
}

std::string curves_text(const scene::Scene& scene, const CoordinateCurves& curves) {
  const auto& coordinates = scene.in_coordinates->coordinates;
  const bool carried = !curves.along_motion.empty();
  const auto add = [&](Rows& rows, const std::string& name, const Vec& q, const Vec& velocity) {
    rows.push_back({name, coordinate_numbers(q), coordinate_numbers(velocity)});
  };
  const auto add_vector = [&](Rows& rows, const Transport& one, std::size_t k) {
    rows.back().insert(rows.back().end(), {coordinate_numbers(one.vector[k]), number_text(one.length[k])});
  };
  const std::string frame = fmt::format("{}", fmt::join(curves.frame, " "));
  Rows rows = {{"autoparallel", fmt::format("{}", fmt::join(coordinates, " ")), "velocity: " + frame}};
  if (carried) rows.front().insert(rows.front().end(), {"vector: " + frame, "length"});
  const Autoparallel& first = curves.autoparallels.front();
  add(rows, "all at the start", first.q.front(), first.velocity.front());
  if (carried) add_vector(rows, first, 0);
  for (const Autoparallel& one : curves.autoparallels) {
    const std::size_t last = std::max<std::size_t>(accurate_outputs(one), 1) - 1;
    add(rows, one.connection, one.q[last], one.velocity[last]);
    if (carried) add_vector(rows, one, last);
  }
  std::string text = connections_text(curves);
  text += section(fmt::format("Curves from t = {} to {} s: where they end", curves.t.front(), curves.t.back())
                      .c_str()) +
          table(rows, 2);
  rows = {{"motion", rows.front()[1], rows.front()[2]}};
  add(rows, "start", curves.q.front(), curves.velocity.front());
  add(rows, "end", curves.q.back(), curves.velocity.back());
  text += table(rows, 2);
  if (!carried) return text;
  rows = {{"transport along the motion", "vector: " + frame, "length"}};
  for (const Transport& one : curves.along_motion)
    rows.push_back({one.connection, coordinate_numbers(one.vector.back()), number_text(one.length.back())});
  return text + table(rows, 2);
}

std::string geometry_text(const scene::Scene& scene, const CoordinateReport& report) {
  const CoordinateNames names = scene.in_coordinates->names();
  std::string text = fmt::format("{}{}{}  geometry at t = {} s: {} coordinates, constraint rows: {}\n",
                                 style_begin(Style::bold, 1), scene.name, style_end(1), report.t,
                                 names.coordinates.size(), report.rows.size());
  Rows frame;
  add_values(frame, "velocities", names.velocities, report.velocities);
  add_components(frame, "brackets", report.brackets);
  text += section("Frame of the velocities") + table(frame, 2);
  text += section("Connection in use, in coordinates; all in SI units");
  text += report.has_metric
              ? connection_text(report)
              : "  none: a scene with \"lagrangian\" gives no metric, so that connection, curvature, "
                "second fundamental\n  form and the test of time do not apply\n";
  text += section("Constraints") + constraints_text(report, names);
  if (report.has_metric) text += time_text(report, names);
  if (report.friction) text += friction_text(*report.friction);
  return text;
}

}  // namespace torsor::cli
