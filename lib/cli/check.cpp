#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "coordinates.hpp"
#include "geometry_text.hpp"
#include "io/pages/facts.hpp"
#include "process.hpp"
#include "scene/start_check.hpp"
#include "scene/start_rows.hpp"
#include "scene_files.hpp"
#include "torsor/lie/scalar.hpp"
#include "torsor/model/joint_kind.hpp"
#include "torsor/model/rigid_particles.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

/// The sizes of the terms of which the numbers at the start are sums.
struct Terms {
  double length = 0, speed = 0, rate = 0, momentum = 0, angular_momentum = 0;

  Terms(const Mechanism& mechanism, const Sample& start) {
    for (const BodyMotion& motion : start.bodies) {
      length = std::max(length, motion.x.norm());
      rate = std::max(rate, motion.Omega.norm());
      speed = std::max(speed, motion.v.norm());
    }
    speed += rate * length;
    for (const Body& body : mechanism.bodies) {
      momentum += body.mass * speed;
      angular_momentum += body.mass * speed * length + body.inertia.norm() * rate;
    }
  }
  double of(std::string_view unit) const {
    return unit == "m" ? length : unit == "m/s" ? speed : unit == "rad/s" ? rate : 1;
  }
};

std::string six_digits(const Vec3& values, double terms) {
  return fmt::format("{} {} {}", number_text(values[0], terms), number_text(values[1], terms),
                     number_text(values[2], terms));
}
std::string six_digits(const Vec& values, const std::vector<io::Column>& columns, const Terms& terms) {
  std::vector<std::string> all;
  for (const double value : values) all.push_back(number_text(value, terms.of(columns[all.size()].unit)));
  return fmt::format("{}", fmt::join(all, " "));
}

std::string inertia_text(const Body& body) {
  if (body.particle) return "particle";
  const Mat3 inertia = physical_inertia(body);
  const Mat3 off_diagonal = inertia - Mat3(inertia.diagonal().asDiagonal());
  const Vec3 diagonal = inertia.diagonal();
  const double greatest = diagonal.maxCoeff();
  if (off_diagonal.isZero(0)) return six_digits(diagonal, greatest);
  const Vec3 rows[] = {inertia.row(0), inertia.row(1), inertia.row(2)};
  return fmt::format("{}; {}; {}", six_digits(rows[0], greatest), six_digits(rows[1], greatest),
                     six_digits(rows[2], greatest));
}

/// `freedoms`: degrees of freedom that the constraints leave.
std::string head(const scene::Scene& scene, int freedoms) {
  const Mechanism& mechanism = scene.mechanism;
  const auto count = [](std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  const std::string control = scene.run.step ? fmt::format("step {} s", *scene.run.step)
                                             : fmt::format("tolerance {}", scene.run.tolerance.value_or(0));
  return fmt::format(
      "{}{}{}{}{}\n  {}, {}, {}, {}\n  {}, {}, {}, {}, from t = {} to {} s\n", style_begin(Style::bold, 1),
      scene.name, style_end(1), scene.title.empty() ? "" : ": ", scene.title,
      count(mechanism.bodies.size(), "body", "bodies"), count(mechanism.joints.size(), "joint", "joints"),
      count(mechanism.forces.size(), "force", "forces"),
      count(static_cast<std::size_t>(freedoms), "degree of freedom", "degrees of freedom"), scene.run.method,
      control, to_string(scene.formulation), to_string(scene.group), scene.run.t_begin, scene.run.t_end);
}

/// The whole table; if it is long, only its first rows and the number of the remaining rows.
std::string shortened(Rows rows, bool all) {
  constexpr std::size_t most = 40, shown = 20;
  const std::size_t count = rows.empty() ? 0 : rows.size() - 1;
  if (all || count <= most) return table(rows, 2);
  rows.resize(1 + shown);
  return table(rows, 2) + fmt::format("  ... and {} more; --all shows every row\n", count - shown);
}

std::string bodies(const scene::Scene& scene, bool all) {
  Rows rows = {{"body", "mass (kg)", "inertia about the centre of mass (kg m^2)"}};
  for (const Body& body : scene.mechanism.bodies)
    rows.push_back({body.name, fmt::format("{:.6g}", body.mass), inertia_text(body)});
  return shortened(std::move(rows), all);
}

/// Consecutive bodies with the same inertia share a line, unless every row is wanted.
std::string inertia(const scene::Scene& scene, bool all) {
  const Rows rows = inertia_rows(scene.mechanism);
  if (rows.empty()) return {};
  return shortened(all ? rows : gathered(rows, rows.size()), all) + "\n";
}

/// The span of the nodes of each rigid system of particles, which determines its group of attitudes.
std::string rigid_particles(const scene::Scene& scene, bool all) {
  Rows rows = {{"rigid particles", "nodes", "span", "attitude", "singular values (m)"}};
  for (const Body& body : scene.mechanism.bodies) {
    if (body.nodes.empty()) continue;
    const auto [span, values] = node_span(body);
    rows.push_back(
        {body.name, std::to_string(body.nodes.size()), to_string(span),
         span == geometry::ParticleSpan::line ? "S^2" : "SO(3)",
         fmt::format("{:.6g} {:.6g} {:.6g}", values[0], span == geometry::ParticleSpan::line ? 0. : values[1],
                     span == geometry::ParticleSpan::space ? values[2] : 0.)});
  }
  return rows.size() == 1 ? "" : shortened(std::move(rows), all) + "\n";
}

std::string body_name(const Mechanism& mechanism, int body) {
  return body == world ? "ground" : mechanism.bodies[static_cast<std::size_t>(body)].name;
}

/// Joints as declared, then the free motion of bodies that no joint of the tree carries.
std::string joints(const scene::Scene& scene, const Model& model, const Sample& start, bool all) {
  const Mechanism& mechanism = scene.mechanism;
  const Terms terms(mechanism, start);
  Rows rows = {{"joint", "kind", "parent -> child", "degrees of freedom", "coordinates", "rates"}};
  for (std::size_t k = 0; k < mechanism.joints.size(); ++k) {
    const Joint& joint = mechanism.joints[k];
    Terms of_joint = terms;
    of_joint.length = start.joints[k].q.lpNorm<Eigen::Infinity>();
    rows.push_back({joint.name, std::string(joint_type(joint.kind).name),
                    body_name(mechanism, joint.parent) + " -> " + body_name(mechanism, joint.child),
                    std::to_string(freedom_count(joint.kind)),
                    six_digits(io::labelled_coordinates(joint.kind, start.joints[k].q),
                               io::coordinate_columns(joint.kind), of_joint),
                    six_digits(start.joints[k].v, io::rate_columns(joint.kind), terms)});
  }
  for (std::size_t link = 0; link < model.joint.size(); ++link) {
    if (model.joint[link] >= 0) continue;
    rows.push_back({"(none)", std::string(joint_type(model.kind[link]).name),
                    "ground -> " + body_name(mechanism, model.body[link]),
                    std::to_string(freedom_count(model.kind[link])), "", ""});
  }
  return shortened(std::move(rows), all);
}

/// States and sampled values.
std::string own_states(const Mechanism& mechanism, bool all) {
  if (mechanism.states.empty()) return {};
  Rows rows = {{"state", "rate or value", "period (s)", "start", "unit"}};
  for (const OwnState& state : mechanism.states) {
    const std::string& text = state.function.text();
    rows.push_back({(state.period > 0 ? "sampled." : "state.") + state.name,
                    text.empty() ? fmt::format("{:.6g}", state.function(0)) : text,
                    state.period > 0 ? fmt::format("{:.6g}", state.period) : "",
                    fmt::format("{:.6g}", state.start), state.unit});
  }
  return shortened(std::move(rows), all) + "\n";
}

std::string start_state(const scene::Scene& scene, const Sample& start, bool all) {
  const Terms terms(scene.mechanism, start);
  Rows rows = {{"start", "x (m)", "v (m/s)", "q (w x y z)", "Omega (rad/s)"}};
  for (std::size_t k = 0; k < start.bodies.size(); ++k) {
    const Body& body = scene.mechanism.bodies[k];
    const BodyMotion& motion = start.bodies[k];
    rows.push_back({body.name, six_digits(motion.x, terms.length), six_digits(motion.v, terms.speed)});
    if (body.particle) continue;
    double q[4];
    motion.R.to(q);
    std::rotate(q, q + 3, q + 4);
    rows.back().push_back(number_text(q[0], 1) + " " + six_digits(Vec3(q[1], q[2], q[3]), 1));
    rows.back().push_back(six_digits(motion.Omega, terms.rate));
  }
  return shortened(std::move(rows), all);
}

std::string invariants(const Invariants& at, const Terms& terms) {
  return table({{"energy", fmt::format("{:.10g} J (kinetic {:.6g}, potential {:.6g})", at.energy(),
                                       at.kinetic, at.potential)},
                {"momentum", fmt::format("linear {} kg m/s, angular {} kg m^2/s",
                                         six_digits(at.linear_momentum, terms.momentum),
                                         six_digits(at.angular_momentum, terms.angular_momentum))},
                {"residuals", fmt::format("position {:.2g}, velocity {:.2g}, acceleration {:.2g}",
                                          max_or_nan(at.group_defect, at.position_residual),
                                          at.velocity_residual, at.acceleration_residual)}},
               2);
}

/// Constraints besides the joints of the tree: rows, degrees of freedom that they leave, cut joints, and the
/// reactions that are not unique because of redundant rows.
std::string constraints(const scene::Scene& scene, const Model& model, const scene::StartRows& rows,
                        const Trajectory& start, bool all) {
  if (rows.table.size() < 2) return {};
  std::vector<std::string> cut;
  for (std::size_t k = 0; k < scene.mechanism.joints.size(); ++k)
    if (model.span_link_of_joint[k] < 0) cut.push_back(scene.mechanism.joints[k].name);
  Rows facts = {{"degrees of freedom", fmt::format("{} = {} - {} rows + {} redundant", rows.freedoms(),
                                                   model.nv(), rows.rows, rows.redundant)}};
  if (!cut.empty())
    facts.push_back({"cut", all ? fmt::format("{}", fmt::join(cut, ", ")) : scene::first_of(cut)});
  if (const std::string shared = shared_text(scene, start); !shared.empty())
    facts.push_back({"shared", shared});
  return shortened(rows.table, all) + "\n" + table(facts, 2) + "\n";
}

/// The text that `check` prints, and its notes.
struct Checked {
  std::vector<std::string> notes;
  std::string text;
};

Checked checked(const scene::Scene& scene, const scene::ReadyModel& ready, const Trajectory& at_once,
                bool all) {
  const Sample& start = at_once.samples.front();
  const scene::StartRows rows = start_rows(scene, ready, true);
  Checked told{ready.notes,
               head(scene, rows.freedoms()) + "\n" + bodies(scene, all) + "\n" + inertia(scene, all) +
                   rigid_particles(scene, all) + joints(scene, ready.model, start, all) + "\n" +
                   own_states(scene.mechanism, all) + constraints(scene, ready.model, rows, at_once, all) +
                   start_state(scene, start, all) + "\n" +
                   invariants(start.invariants, Terms(scene.mechanism, start))};
  if (rows.redundant > 0) told.notes.push_back(redundancy_note(rows));
  return told;
}
Checked checked(const scene::Scene& scene, const scene::ReadyCoordinates& ready, const Trajectory& at_once,
                bool) {
  const scene::StartRows rows = start_rows(scene, ready);
  Checked told{ready.notes, check_text(scene, *ready.system, rows, at_once.samples.front())};
  if (rows.redundant > 0) told.notes.push_back(redundancy_note(rows));
  return told;
}

}  // namespace

int check_verb(const CheckArguments& arguments) {
  const scene::Scene scene = scene::load_scene(find_scene(arguments.scene), arguments.overrides);
  const scene::ReadyScene ready = prepare(scene);
  const Trajectory at_once = run_at_start(scene, ready);  // also checks whether the method takes the scene
  require_finite(scene, ready, at_once);
  const Checked told =
      std::visit([&](const auto& one) { return checked(scene, one, at_once, arguments.all); }, ready);
  for (const auto* notes : {&scene.notes, &told.notes})
    for (const std::string& note : *notes) print_error(fmt::format("note: {}\n", note));
  print(told.text);
  return 0;
}

}  // namespace torsor::cli
