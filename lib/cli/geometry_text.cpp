#include "geometry_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "process.hpp"
#include "verbs.hpp"

namespace torsor::cli {

std::string number(double value, double scale) {
  constexpr double rounding = 1e-12;
  return fmt::format("{:.5g}", std::abs(value) <= rounding * scale ? 0. : value);
}
std::string numbers(const Vec3& v, double scale) {
  scale = std::max(scale, v.lpNorm<Eigen::Infinity>());
  return number(v[0], scale) + " " + number(v[1], scale) + " " + number(v[2], scale);
}

Rows gathered(const Rows& rows, std::size_t most) {
  Rows short_rows = {rows.front()};
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

namespace {

std::vector<std::string> inertia_row(const Body& body) {
  const auto six_digits = [](const Vec3& v, double scale) {
    const auto rounded = [scale](double x) { return std::abs(x) < 1e-12 * scale ? 0. : x; };
    return fmt::format("{:.6g} {:.6g} {:.6g}", rounded(v[0]), rounded(v[1]), rounded(v[2]));
  };
  const geometry::PrincipalInertia inertia = principal_inertia(body);
  std::string axes = "any";
  if (inertia.kind == geometry::InertiaClass::symmetric)
    axes = six_digits(inertia.symmetry_axis(), 1) + "; any perpendicular to it";
  if (inertia.kind == geometry::InertiaClass::asymmetric)
    axes = fmt::format("{}; {}; {}", six_digits(inertia.axes.col(0), 1), six_digits(inertia.axes.col(1), 1),
                       six_digits(inertia.axes.col(2), 1));
  return {body.name, std::string(to_string(inertia.kind)) + (is_line(body) ? ", degenerate" : ""),
          six_digits(inertia.moments, inertia.moments[2]), axes};
}

}  // namespace

Rows inertia_rows(const Mechanism& mechanism) {
  Rows rows = {{"body", "inertia", "principal moments (kg m^2)", "principal axes (in body axes)"}};
  const Body* previous = nullptr;
  for (const Body& body : mechanism.bodies) {
    if (body.particle) continue;
    const bool same = previous && previous->nodes.empty() && body.nodes.empty() &&
                      previous->inertia == body.inertia;  // as in long chains
    rows.push_back(same ? rows.back() : inertia_row(body));
    rows.back().front() = body.name;
    previous = &body;
  }
  return rows.size() == 1 ? Rows() : rows;
}

namespace {

std::string signed_axis(const NamedComponent& bracket) {
  const std::size_t arrow = bracket.name.find(" -> ");
  const char* const sign = bracket.value < 0 ? "-" : "";
  return fmt::format("[{}] = {}{}", bracket.name.substr(0, arrow), sign, bracket.name.substr(arrow + 4));
}
std::string component(const NamedComponent& most) {
  return most.name.empty() ? "0" : fmt::format("{} ({})", number(most.value), most.name);
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

std::string inertia(const Mechanism& mechanism) {
  const Rows rows = inertia_rows(mechanism);
  return rows.empty() ? "" : section("Inertia about the centre of mass") + table(gathered(rows), 2);
}

std::string rotation_metrics(const Mechanism& mechanism, const GeometryReport& report) {
  Rows rows = {{"body", "group", "multiple (kg m^2)", "distance", "canonical (0) connection"}};
  for (const ConnectionReport& connection : report.connections) {
    if (!connection.rotations) continue;
    const RotationMetricReport& rotations = *connection.rotations;
    rows.push_back({mechanism.bodies[connection.body].name, connection.group, number(rotations.multiple),
                    number(rotations.distance, 1),
                    rotations.zero_is_levi_civita()
                        ? "is the Christoffel connection"
                        : fmt::format("differs by {:.2g} from the Christoffel connection", rotations.zero)});
  }
  if (rows.size() == 1) return {};
  return section(
             "Kinetic metric of the rotations: nearest multiple of the bi-invariant metric -B/2, "
             "B the Killing form") +
         table(gathered(rows), 2) + "  distance 0: the kinetic metric is this multiple of -B/2\n";
}

std::string connections(const Mechanism& mechanism, const GeometryReport& report) {
  Rows facts = {{"body", "group", "torsion", "curvature", "non-metricity (SI)", "weak", "strong"}};
  for (const ConnectionReport& connection : report.connections)
    facts.push_back({mechanism.bodies[connection.body].name, connection.group, component(connection.torsion),
                     component(connection.curvature), component(connection.non_metricity),
                     fmt::format("{:.1g}", connection.weak), fmt::format("{:.2g}", connection.strong)});
  if (report.geodesics())
    return section("Connection in use: generalized Christoffel, of the metric; greatest components") +
           table(gathered(facts), 2) + "  torsion 0 and non-metricity 0 make it the Christoffel connection\n";
  const bool gives_motion =
      std::all_of(report.connections.begin(), report.connections.end(),
                  [](const ConnectionReport& connection) { return connection.gives_motion(); });
  const std::string heading =
      fmt::format("Connection in use: left-invariant {}, greatest components", to_string(report.connection));
  return section(heading.c_str()) + table(gathered(facts), 2) +
         "  weak 0: gives the motion; strong 0: it is the Christoffel connection as well\n" +
         (gives_motion ? ""
                       : "  weak not 0: the steps follow the autoparallels of this connection, and the "
                         "accelerations come\n  from the canonical (+) connection, which has the same "
                         "autoparallels and gives the motion\n");
}

std::string constraint_rows(const GeometryReport& report) {
  std::string text = section("Constraints besides the joints of the tree");
  if (report.rows.empty()) return text + "  none\n";
  Rows rows = {{"constraint", "row", "level", "time", "a0"}};
  std::unordered_map<std::string_view, double> scale;  // of the offsets of each constraint
  for (const RowReport& row : report.rows)
    scale[row.constraint] = std::max(scale[row.constraint], std::abs(row.offset));
  for (const RowReport& row : report.rows) {
    const std::string offset = number(row.offset, scale[row.constraint]);
    rows.push_back({row.constraint, row.what,
                    to_string(row.level) + std::string(row.gives_way ? ", gives way to friction" : ""),
                    row.rheonomic ? "of t" : "", offset == "0" ? "" : offset});
  }
  return text + table(gathered(rows), 2) + "  a0 in A v + a0 = 0; a row with a0 is acatastatic\n";
}

std::string row_motions(const GeometryReport& report) {
  Rows rows = {{"constraint", "row", "inertia m", "m'", "damping c", "stiffness k", "growth (1/s)"}};
  for (const RowReport& row : report.rows) {
    if (!row.motion) continue;
    const RowMotion& motion = *row.motion;
    const double scale = motion.inertia;  // of differences over a second
    if (motion.inertia == 0)
      rows.push_back({row.constraint, row.what, "redundant", "", "", "", ""});
    else
      rows.push_back({row.constraint, row.what, number(motion.inertia), number(motion.inertia_rate, scale),
                      number(motion.damping, scale), motion.holonomic ? number(motion.stiffness, scale) : "-",
                      number(motion.growth(), 1)});
  }
  if (rows.size() == 1) return {};
  return section("Constraints as equations of motion, SI units") + table(gathered(rows), 2) +
         "  a violation phi of a row with positions obeys (m phi')' + c phi' + k phi = 0\n"
         "  a violation psi of a row with velocities only obeys (m psi)' + c psi = 0\n"
         "  growth below 0: it decays; 0: it stays; above 0: it grows (projection or `dynamic` prevents "
         "this)\n";
}

std::string time_dependence(const TimeReport& time) {
  // The derivatives are finite differences, accurate to nine digits. With this scale, `number` prints values
  // below their accuracy as 0.
  const auto residual = [&](double here, double around, double terms, const char* unit, const char* meaning) {
    const double scale = 1e3 * terms;
    return fmt::format("{} {} here, up to {} nearby: {}", number(here, scale), unit, number(around, scale),
                       meaning);
  };
  Rows facts = {{"verdict", time_verdict(time, time.directions.cols() > 0)}};
  if (time.rows.empty()) facts.push_back({"S1, S2", "0: no constraint depends on time, none is acatastatic"});
  if (!time.rows.empty() && time.directions.cols() > 0) {
    facts.push_back({"S1", residual(time.S1, time.S1_around, time.S1_terms, "1/s",
                                    "rate at which the metric of an allowed direction changes")});
    facts.push_back({"S2", residual(time.S2, time.S2_around, time.S2_terms, "J/(m sqrt kg)",
                                    "slope of G(nu, nu), an inertial potential")});
    facts.push_back({"examined", fmt::format("{} state{}, {}", time.states, time.states == 1 ? "" : "s",
                                             time.sampled ? "four allowed directions at each"
                                                          : "all allowed directions")});
  }
  if (!time.rows.empty()) {
    facts.push_back({"G(nu, nu)", number(time.G_nu_nu) + " J, nu = -C a0 is the prescribed velocity"});
    facts.push_back({time.removable && time.directions.cols() > 0 ? "contain t or a0" : "caused by",
                     fmt::format("{}", fmt::join(time.rows, ", "))});
  }
  if (!time.forces.empty())
    facts.push_back({"forces of t", fmt::format("{} (not in S1 and S2)", fmt::join(time.forces, ", "))});
  return section("Time") + table(facts, 2);
}

}  // namespace

std::string geometry_text(const scene::Scene& scene, const GeometryReport& report) {
  return fmt::format("{}{}{}  geometry at t = {} s: {} velocities, constraint rows: {}\n",
                     style_begin(Style::bold, 1), scene.name, style_end(1), report.t, report.freedoms,
                     report.constraint_rows) +
         groups(report) + inertia(scene.mechanism) + connections(scene.mechanism, report) +
         rotation_metrics(scene.mechanism, report) + constraint_rows(report) + row_motions(report) +
         time_dependence(report.time) + motion_text(scene.mechanism, report);
}

}  // namespace torsor::cli
