#include <fmt/format.h>

#include <algorithm>

#include "geometry_text.hpp"

namespace torsor::cli {

namespace {

/// The greatest component, in magnitude, of the given members over all entries.
template <class Entries, class... Member>
double greatest(const Entries& entries, Member... member) {
  double most = 0;
  for (const auto& entry : entries)
    ((most = std::max(most, (entry.*member).template lpNorm<Eigen::Infinity>())), ...);
  return most;
}

std::string screws(const Mechanism& mechanism, const GeometryReport& report) {
  Rows rows = {{"body", "turn (rad/s)", "axis", "through (m)", "pitch (m/rad)", "line (m/s)", "in use"}};
  double turn = 0;
  for (const ScrewReport& screw : report.screws) turn = std::max(turn, screw.turn);
  const double speed = greatest(report.screws, &ScrewReport::velocity),
               place = greatest(report.screws, &ScrewReport::centre);
  for (const ScrewReport& screw : report.screws) {
    const bool turns = screw.turn > 0, rests = screw.velocity.isZero(0);
    rows.push_back({mechanism.bodies[screw.body].name, number(screw.turn, turn),
                    turns ? numbers(screw.direction) : "-",
                    turns ? numbers(screw.point, std::max(place, speed / screw.turn)) : "-",
                    turns   ? number(screw.pitch, speed / screw.turn)
                    : rests ? "-"
                            : "inf",
                    numbers(screw.velocity, speed), screw.in_use});
    if (report.geodesics()) rows.back().back() = numbers(screw.Omega_dot, screw.turn * screw.turn);
  }
  if (report.geodesics()) {
    rows.front().back() = "geodesic: Omega' (rad/s^2, body)";
    return section("Geodesics through the present velocities, beside canonical autoparallels, world axes") +
           table(gathered(rows), 2) +
           "  in use: the geodesic of the metric, along which the velocity changes by Omega'\n"
           "  canonical connections: the axis is fixed. Semi-direct product: a screw with the pitch;\n"
           "  direct product: the mass centre moves on a line and the body turns about it at the same rate\n";
  }
  return section("Autoparallels through the present velocities, world axes") + table(gathered(rows), 2) +
         "  semi-direct product: a screw about the axis through the point, with the pitch\n"
         "  direct product: the mass centre moves on a line, and the body turns about it at the same rate\n";
}

std::string transport(const Mechanism& mechanism, const GeometryReport& report) {
  if (report.transport.empty()) return {};
  Rows rows = {{"body", "one turn (s)", "Christoffel (rad)", "keeps (world)"}};
  for (const TransportReport& turn : report.transport)
    rows.push_back({mechanism.bodies[turn.body].name, number(turn.duration), number(turn.christoffel, 1),
                    numbers(turn.kept)});
  return section(
             "Parallel transport of angular velocities u along exp(t n), one turn: "
             "angle of u behind the body") +
         table(gathered(rows), 2) +
         "  canonical: (-) 0, u moves with the body; (0) 3.1416; (+) 6.2832, u is fixed in space\n"
         "  whole turns return u to itself: (-) and (+) are flat; any other angle is holonomy\n";
}

std::string compatibility(const GeometryReport& report) {
  std::string tangential =
      fmt::format("  |P N| relative to N and its inertial terms: {:.1g}\n", report.bending_tangential);
  if (report.geodesics()) return tangential;
  const ConstrainedCompatibility& found = report.compatibility;
  return fmt::format(
             "  connections of the bodies, projected to the velocities that joints and constraints allow\n"
             "  ({} direction{}):\n"
             "  weak {:.1g}, strong {:.2g}; weak 0: the connection in use gives the constrained motion\n",
             found.directions,
             found.sampled           ? "s of many"
             : found.directions == 1 ? ""
                                     : "s",
             found.weak, found.strong) +
         tangential;
}

std::string bending(const Mechanism& mechanism, const GeometryReport& report) {
  double linear = greatest(report.bending, &BendingReport::linear),
         angular = greatest(report.bending, &BendingReport::angular);
  for (const ScrewReport& screw : report.screws) {  // the inertial terms, which cancel in N of a free body
    linear = std::max(linear, screw.turn * screw.velocity.norm());
    angular = std::max(angular, screw.turn * screw.turn);
  }
  Rows rows = {{"body", "linear (m/s^2, world)", "angular (rad/s^2, body)"}};
  for (const BendingReport& body : report.bending)
    rows.push_back({mechanism.bodies[body.body].name, numbers(body.linear, linear),
                    mechanism.bodies[body.body].particle ? "" : numbers(body.angular, angular)});
  return section("Second fundamental form N: acceleration that joints and constraints cause without loads") +
         table(gathered(rows), 2) + compatibility(report);
}

std::string reactions(const Mechanism& mechanism, const GeometryReport& report) {
  if (report.reactions.empty()) return {};
  double lever = greatest(report.screws, &ScrewReport::centre);  // of the forces whose torques cancel
  for (const Joint& joint : mechanism.joints)
    lever = std::max({lever, joint.X_PF.p.norm(), joint.X_CM.p.norm()});
  using Part = ReactionReport;
  const double force = std::max(greatest(report.reactions, &Part::bending_force, &Part::load_force),
                                report.inertial_force),
               torque = std::max({greatest(report.reactions, &Part::bending_torque, &Part::load_torque),
                                  report.inertial_torque, force * lever});
  Rows rows = {{"reaction", "of N: force (N)", "torque (N m)", "of loads: force (N)", "torque (N m)"}};
  for (const Part& part : report.reactions)
    rows.push_back({part.name + (part.unique ? "" : " (least norm)"), numbers(part.bending_force, force),
                    numbers(part.bending_torque, torque), numbers(part.load_force, force),
                    numbers(part.load_torque, torque)});
  return section("Reactions, world axes: the part due to N and the part due to the loads") +
         table(gathered(rows), 2);
}

/// The span of the nodes and the group of the configurations, such as "line: R^3 x S^2, degenerate".
std::string configurations(geometry::ParticleSpan span) {
  const char* const groups[] = {"R^3", "R^3 x S^2, degenerate", "R^3 x SO(3), weakly non-degenerate",
                                "R^3 x SO(3) of O(3), strongly non-degenerate"};
  return fmt::format("{}: {}", to_string(span), groups[static_cast<int>(span)]);
}

std::string rigid_particles(const Mechanism& mechanism, const GeometryReport& report) {
  std::string text;
  for (const RigidParticlesReport& system : report.rigid_particles) {
    const Body& body = mechanism.bodies[system.body];
    const double kinetic = system.kinetic_centre + system.kinetic_rotation;
    const double momentum =
        body.mass * (system.velocity.rigid() + system.velocity.rest).cwiseAbs().maxCoeff();
    text +=
        section("Rigid system of particles") +
        table({{"name", body.name},
               {"nodes span", configurations(system.span)},
               {"singular values", numbers(system.singular_values) + " m"},
               {"kinetic energy",
                fmt::format("centre {} J, rotation {} J, rest {} J", number(system.kinetic_centre, kinetic),
                            number(system.kinetic_rotation, kinetic), number(system.kinetic_rest, kinetic))},
               {"momentum", numbers(system.momentum, momentum) + " kg m/s of the centre"},
               {"angular momentum", numbers(system.angular_momentum, momentum * system.singular_values[0]) +
                                        " kg m^2/s about the centre"}},
              2);
    const auto split = [&](const char* what, const geometry::ParticleParts<double>& parts,
                           const geometry::PerParticle<double>* reaction) {
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

std::string motion_text(const Mechanism& mechanism, const GeometryReport& report) {
  return screws(mechanism, report) + transport(mechanism, report) + bending(mechanism, report) +
         reactions(mechanism, report) + rigid_particles(mechanism, report);
}

}  // namespace torsor::cli
