#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "chart.hpp"
#include "process.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Five digits; 0 for what is rounding beside `scale`.
std::string number(double value, double scale = 1) {
  constexpr double rounding = 1e-12;
  return fmt::format("{:.5g}", std::abs(value) < rounding * std::max(scale, 1.) ? 0. : value);
}
std::string numbers(const Vec3& v, double scale = 1) {
  return number(v[0], scale) + " " + number(v[1], scale) + " " + number(v[2], scale);
}
/// The greatest component of members over all entries.
template <class Entries, class... Member>
double greatest(const Entries& entries, Member... member) {
  double most = 0;
  for (const auto& entry : entries)
    ((most = std::max(most, (entry.*member).template lpNorm<Eigen::Infinity>())), ...);
  return most;
}
std::string signed_axis(const NamedComponent& bracket) {
  const std::size_t arrow = bracket.name.find(" -> ");
  const char* const sign = bracket.value < 0 ? "-" : "";
  return fmt::format("[{}] = {}{}", bracket.name.substr(0, arrow), sign, bracket.name.substr(arrow + 4));
}
std::string component(const NamedComponent& most) {
  return most.name.empty() ? "0" : fmt::format("{} ({})", number(most.value), most.name);
}

/// Lines that differ in their first column alone become one: "link1 .. link100". Beyond `most` lines the rest
/// is counted.
Rows gathered(const Rows& rows, std::size_t most = 24) {
  Rows short_rows = {rows.front()};
  std::string last;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool same =
        i > 1 && std::equal(rows[i].begin() + 1, rows[i].end(), rows[i - 1].begin() + 1, rows[i - 1].end());
    if (same) {
      std::string& name = short_rows.back().front();
      name = name.substr(0, name.find(" .. ")) + " .. " + rows[i].front();
    } else {
      short_rows.push_back(rows[i]);
    }
  }
  if (short_rows.size() > most + 1) {
    const std::size_t left = short_rows.size() - most - 1;
    short_rows.resize(most + 1);
    short_rows.push_back({fmt::format("... and {} more lines: --json has all", left)});
  }
  return short_rows;
}

std::string section(const char* title) {
  return fmt::format("\n{}{}{}\n", style_begin(Style::bold, 1), title, style_end(1));
}

std::string groups(const GeometryReport& report) {
  Rows rows = {{"joint or body", "group", "product", "dimension", "nonzero c"}};
  for (const GroupReport& group : report.groups)
    rows.push_back({group.name, group.group, group.product == GroupProduct::direct ? "direct" : "semi-direct",
                    std::to_string(group.dimension), std::to_string(2 * group.brackets.size())});
  std::string text = section("Groups of the configuration") + table(gathered(rows), 2);
  std::vector<std::string> told;
  for (const GroupReport& group : report.groups) {
    if (group.brackets.empty() || std::find(told.begin(), told.end(), group.group) != told.end()) continue;
    told.push_back(group.group);
    std::vector<std::string> brackets;
    for (const NamedComponent& bracket : group.brackets) brackets.push_back(signed_axis(bracket));
    text += fmt::format("  brackets of {}:\n", group.group);
    for (std::size_t i = 0; i < brackets.size(); i += 3)
      text += fmt::format(
          "    {}\n",
          fmt::join(brackets.begin() + static_cast<std::ptrdiff_t>(i),
                    brackets.begin() + static_cast<std::ptrdiff_t>(std::min(i + 3, brackets.size())), "   "));
  }
  return text;
}

std::string connections(const Mechanism& mechanism, const GeometryReport& report) {
  Rows facts = {{"body", "group", "torsion", "curvature", "non-metricity (SI)", "weak", "strong"}};
  for (const ConnectionReport& connection : report.connections)
    facts.push_back({mechanism.bodies[connection.body].name, connection.group, component(connection.torsion),
                     component(connection.curvature), component(connection.non_metricity),
                     fmt::format("{:.1g}", connection.weak), fmt::format("{:.2g}", connection.strong)});
  return section(report.geodesics
                     ? "Connection in use: generalized Christoffel, of the metric; greatest components"
                     : "Connection in use: left-invariant canonical (+), greatest components") +
         table(gathered(facts), 2) +
         (report.geodesics
              ? "  torsion 0 and non-metricity 0 make it the Christoffel connection\n"
              : "  weak 0: gives the motion; strong 0: it is the Christoffel connection as well\n");
}

std::string constraint_rows(const GeometryReport& report) {
  std::string text = section("Constraints besides the joints of the tree");
  if (report.rows.empty()) return text + "  none\n";
  Rows rows = {{"constraint", "row", "level", "time", "a0"}};
  for (const RowReport& row : report.rows)
    rows.push_back({row.constraint, row.what,
                    to_string(row.level) + std::string(row.gives_way ? ", gives way to friction" : ""),
                    row.rheonomic ? "of t" : "", number(row.offset) == "0" ? "" : number(row.offset)});
  return text + table(gathered(rows), 2) + "  a0 in A v + a0 = 0; a row with one is acatastatic\n";
}

std::string time_dependence(const TimeReport& time) {
  /// Derivatives by differences: nine digits.
  const auto residual = [&](double here, double around, const char* unit, const char* meaning) {
    const double scale = 1e3 * std::max(1., time.G_nu_nu);
    return fmt::format("{} {} here, up to {} nearby: {}", number(here, scale), unit, number(around, scale),
                       meaning);
  };
  Rows facts = {{"verdict", !time.has_verdict() ? "none: the constraints leave no velocity free"
                            : time.removable    ? "scleronomic: time can be removed"
                                                : "rheonomic: no change of coordinates removes time"}};
  if (time.rows.empty()) facts.push_back({"S1, S2", "0: no constraint depends on time, none is acatastatic"});
  if (!time.rows.empty() && time.has_verdict()) {
    facts.push_back({"S1", residual(time.S1, time.S1_around, "1/s",
                                    "rate at which the metric of an allowed direction changes")});
    facts.push_back({"S2", residual(time.S2, time.S2_around, "J/(m sqrt kg)",
                                    "slope of G(nu, nu), an inertial potential")});
    facts.push_back({"looked at", fmt::format("{} state{}, {}", time.states, time.states == 1 ? "" : "s",
                                              time.sampled ? "four allowed directions at each"
                                                           : "all allowed directions")});
  }
  if (!time.rows.empty()) {
    facts.push_back({"G(nu, nu)", number(time.G_nu_nu) + " J, nu = -C a0: the velocity that is prescribed"});
    facts.push_back({"caused by", fmt::format("{}", fmt::join(time.rows, ", "))});
  }
  if (!time.forces.empty())
    facts.push_back({"forces of t", fmt::format("{} (not in S1 and S2)", fmt::join(time.forces, ", "))});
  return section("Time") + table(facts, 2);
}

/// What goes on from the present velocity where the run steps by exponentials: of the joint's group where
/// that is the one in use.
std::string in_use(const GeometryReport& report, const ScrewReport& screw, bool particle) {
  for (const ConnectionReport& connection : report.connections)
    if (connection.body == screw.body && connection.group == "SO(3)") return "exp of SO(3)";
  return particle || screw.product == GroupProduct::direct ? "line" : "screw";
}

std::string screws(const Mechanism& mechanism, const GeometryReport& report) {
  Rows rows = {{"body", "turn (rad/s)", "axis", "through (m)", "pitch (m/rad)", "line (m/s)", "in use"}};
  for (const ScrewReport& screw : report.screws) {
    const bool turns = screw.turn > 0, rests = screw.velocity.isZero(0);
    rows.push_back({mechanism.bodies[screw.body].name, number(screw.turn),
                    turns ? numbers(screw.direction) : "-", turns ? numbers(screw.point) : "-",
                    turns   ? number(screw.pitch)
                    : rests ? "-"
                            : "inf",
                    numbers(screw.velocity), in_use(report, screw, mechanism.bodies[screw.body].particle)});
    if (report.geodesics) rows.back().back() = numbers(screw.Omega_dot, screw.turn * screw.turn);
  }
  if (report.geodesics) {
    rows.front().back() = "geodesic: Omega' (rad/s^2, body)";
    return section("Geodesics through the present velocities, beside canonical autoparallels, world axes") +
           table(gathered(rows), 2) +
           "  in use: the geodesic of the metric, along which the velocity changes by Omega'\n"
           "  canonical connections: the axis stays, a screw with the pitch (semi-direct product), or\n"
           "  the mass centre on a line and the same turn about it (direct product)\n";
  }
  return section("Autoparallels through the present velocities, world axes") + table(gathered(rows), 2) +
         "  semi-direct product: a screw, about the axis through the point, with the pitch\n"
         "  direct product: the mass centre on a line, and the same turn about it\n";
}

std::string compatibility(const GeometryReport& report) {
  const std::string tangential = fmt::format(
      "  |P N|, by the connection in use: {:.1g} of its inertial terms\n", report.bending_tangential);
  if (report.geodesics) return tangential;
  const ConstrainedCompatibility& found = report.compatibility;
  return fmt::format(
             "  connections of the bodies, projected to what joints and constraints allow ({} direction{}):\n"
             "  weak {:.1g}, strong {:.2g}; weak 0: gives the constrained motion\n",
             found.directions,
             found.sampled           ? "s of many"
             : found.directions == 1 ? ""
                                     : "s",
             found.weak, found.strong) +
         tangential;
}

std::string bending(const Mechanism& mechanism, const GeometryReport& report) {
  const double linear = greatest(report.bending, &BendingReport::linear),
               angular = greatest(report.bending, &BendingReport::angular);
  Rows rows = {{"body", "linear (m/s^2, world)", "angular (rad/s^2, body)"}};
  for (const BendingReport& body : report.bending)
    rows.push_back({mechanism.bodies[body.body].name, numbers(body.linear, linear),
                    mechanism.bodies[body.body].particle ? "" : numbers(body.angular, angular)});
  return section("Second fundamental form N: acceleration by joints and constraints alone, without loads") +
         table(gathered(rows), 2) + compatibility(report);
}

std::string reactions(const GeometryReport& report) {
  if (report.reactions.empty()) return {};
  using Part = ReactionReport;
  const double force = greatest(report.reactions, &Part::bending_force, &Part::load_force),
               torque =
                   std::max(greatest(report.reactions, &Part::bending_torque, &Part::load_torque), force);
  Rows rows = {{"reaction", "of N: force (N)", "torque (N m)", "of loads: force (N)", "torque (N m)"}};
  for (const Part& part : report.reactions)
    rows.push_back({part.name + (part.unique ? "" : " (least norm)"), numbers(part.bending_force, force),
                    numbers(part.bending_torque, torque), numbers(part.load_force, force),
                    numbers(part.load_torque, torque)});
  return section("Reactions, world axes: what N and what the loads make of them") + table(gathered(rows), 2);
}

/// "line: R^3 x S^2" and the like.
std::string configurations(ParticleSpan span) {
  const char* const groups[] = {"R^3", "R^3 x S^2, degenerate", "R^3 x SO(3), weakly non-degenerate",
                                "R^3 x SO(3) of O(3), strongly non-degenerate"};
  return fmt::format("{}: {}", to_string(span), groups[static_cast<int>(span)]);
}

std::string rigid_particles(const Mechanism& mechanism, const GeometryReport& report) {
  std::string text;
  for (const RigidParticlesReport& system : report.rigid_particles) {
    const Body& body = mechanism.bodies[system.body];
    const double kinetic = system.kinetic_centre + system.kinetic_rotation;
    text +=
        section("Rigid system of particles") +
        table({{"name", body.name},
               {"nodes span", configurations(system.span)},
               {"singular values", numbers(system.singular_values) + " m"},
               {"kinetic energy",
                fmt::format("centre {} J, rotation {} J, rest {} J", number(system.kinetic_centre),
                            number(system.kinetic_rotation, kinetic), number(system.kinetic_rest, kinetic))},
               {"momentum", numbers(system.momentum) + " kg m/s of the centre"},
               {"angular momentum", numbers(system.angular_momentum) + " kg m^2/s about the centre"}},
              2);
    const auto split = [&](const char* what, const ParticleParts<double>& parts,
                           const PerParticle<double>* reaction) {
      const double scale = (parts.rigid() + parts.rest).cwiseAbs().maxCoeff();
      Rows rows = {{what, "centre", "rotation", "rest"}};
      if (reaction) rows.front().push_back("reaction");
      for (std::size_t k = 0; k < body.nodes.size(); ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        rows.push_back({body.nodes[k].name, numbers(parts.centre.col(i), scale),
                        numbers(parts.rotation.col(i), scale), numbers(parts.rest.col(i), scale)});
        if (reaction) rows.back().push_back(numbers(reaction->col(i), scale));
      }
      return "\n" + table(gathered(rows), 2);
    };
    text += split("velocity (m/s)", system.velocity, nullptr) +
            split("force (N)", system.force, &system.reaction);
  }
  return text;
}

}  // namespace

std::string geometry_text(const Scene& scene, const GeometryReport& report) {
  return fmt::format("{}{}{}  geometry at t = {} s: {} velocities, constraint rows: {}\n",
                     style_begin(Style::bold, 1), scene.name, style_end(1), report.t, report.freedoms,
                     report.constraint_rows) +
         groups(report) + connections(scene.mechanism, report) + constraint_rows(report) +
         time_dependence(report.time) + screws(scene.mechanism, report) + bending(scene.mechanism, report) +
         reactions(report) + rigid_particles(scene.mechanism, report);
}

}  // namespace torsor::cli
