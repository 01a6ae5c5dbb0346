#include "torsor/system/consistent_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "completion.hpp"
#include "floating_point.hpp"
#include "model/declared_joint.hpp"
#include "text.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using mechanics::Completion;

[[noreturn]] void refuse(Reasons reasons, const char* outlook) {
  reasons.back().text += outlook;
  throw StartError(std::move(reasons));
}

/// The nearest consistent state when all given values may change. If the state that is found is not
/// consistent, throws; the reasons are the constraints that it violates.
State nearest(const MechanismSystem& holonomic, const MechanismSystem& system, double t, double length,
              State x) {
  const Start nothing;
  const Completion all(holonomic, system, system, t, length, nothing);
  all.solve_coordinates(x.q);
  auto faults = all.position_faults(x.q);
  if (faults.empty()) {
    all.solve_rates(x.q, x.v);
    faults = all.velocity_faults(x.q, x.v);
  }
  if (faults.empty()) return x;
  const bool several = faults.size() > 1;
  refuse(std::move(faults),
         several ? "; no start satisfies all of these constraints" : "; no start satisfies it");
}

/// Coordinates or rates of the tree from the given values. If the given values contradict each other: the
/// nearest coordinates or rates, and the error that reports the contradiction.
struct Taken {
  Vec numbers;
  std::optional<StartError> clash;
};

template <class Take>
Taken taken(const Take& take) try {
  return {take(mechanics::start_tolerance), {}};
} catch (const StartError& error) {
  return {take(std::numeric_limits<double>::infinity()), error};
}

[[noreturn]] void refuse_clash(const StartError& clash, const Completion& completion, bool constrained) {
  if (!constrained || !completion.leaves_coordinates_open()) throw clash;
  refuse(clash.reasons,
         "; no consistent start was found near the given values; consistent = \"project\" moves the start to "
         "the nearest consistent one, and \"cut\" at other joints may help");
}

/// Solves for the values that are not given. Then projects the state onto the constraints, which removes the
/// remaining residuals. Unless `project`, throws if they are greater than rounding.
State assemble(const Model& tree, const Start& start, double t, bool project, Treatment treatment) {
  const auto coordinates = [&](double within) { return start_coordinates(tree, start, within); };
  Taken q = taken(coordinates);
  const auto rates = [&](double within) { return start_rates(tree, start, q.numbers, within); };
  if (!tree.constrained() && !mechanics::GivenOutside(tree, start).any() && !q.clash)
    if (Taken v = taken(rates); !v.clash) return {std::move(q.numbers), std::move(v.numbers), {}};

  const LinkLengths lengths(tree, q.numbers);
  const MechanismSystem all(tree, lengths), holonomic(tree, lengths, Treatment::viscous);
  const double length = lengths.greatest();
  const MechanismSystem& exact = treatment == Treatment::viscous ? holonomic : all;
  const Completion completion(holonomic, exact, all, t, length, start);
  completion.solve_coordinates(q.numbers);
  if (!project && q.clash && !completion.keeps_coordinates(q.numbers))
    refuse_clash(*q.clash, completion, tree.constrained());
  Reasons missed = completion.position_faults(q.numbers);
  State x{q.numbers, Vec::Zero(tree.nv()), {}};
  // The projection may fail if rows that are redundant where the constraints hold are independent at x.
  const auto search = [&](const std::string& why) {
    x = nearest(holonomic, exact, t, length, x);
    if (missed.empty() && !project)
      throw StartError({{{}, {}, "the start cannot be moved onto the constraints: " + why}});
  };
  try {
    // Velocity rows do not restrict positions, so the projection leaves them out. A velocity row that is
    // redundant on the constraints may be independent off the constraints, and then it would forbid the
    // motion that leads back to them.
    if (tree.constrained()) holonomic.project_position(t, x.q);
  } catch (const EvaluationError& error) {
    x.q = q.numbers;
    search(error.what());
  }
  try {
    if (!missed.empty()) q.numbers = x.q;
    Taken v = taken(rates);
    x.v = std::move(v.numbers);
    completion.solve_rates(x.q, x.v);
    if (!project && v.clash && !completion.keeps_rates(x.q, x.v)) throw *v.clash;
    if (missed.empty()) missed = completion.velocity_faults(x.q, x.v);
    if (tree.constrained()) exact.project_velocity(t, x.q, x.v);
  } catch (const EvaluationError& error) {
    search(error.what());
  }
  // The projected velocities may still violate redundant rows.
  if (!completion.velocity_faults(x.q, x.v).empty())
    search("the constraints on velocities contradict each other");
  if (!missed.empty() && !project)
    refuse(std::move(missed),
           "; consistent = \"project\" would move the start to the nearest consistent state");
  return x;
}

/// Adds a note on how far the given values were moved.
void tell_moves(const Model& tree, const Start& start, const State& x, std::vector<std::string>& notes) {
  Workspace<double> work(tree);
  forward_kinematics(tree, x.q, x.v, work);
  double dx = 0, angle = 0, dv = 0, dw = 0;
  for (std::size_t i = 0; i < start.bodies.size(); ++i) {
    const BodyStart& given = start.bodies[i];
    const int link = tree.link_of_body[i];
    const Mat3& R = work.R_WB[link];
    const auto widen = [](double& worst, const auto& wanted, const Vec3& is) {
      if (wanted) worst = std::max(worst, (*wanted - is).norm());
    };
    widen(dx, given.x, work.p_WB[link]);
    if (given.R)
      angle = std::max(angle, (given.R->normalized().inverse() * SO3<>::from_matrix(R)).log().norm());
    widen(dv, given.v_W, work.v_WB[link]);
    widen(dv, given.v_B, R.transpose() * work.v_WB[link]);
    widen(dw, given.omega_W, work.w_WB[link]);
    widen(dw, given.Omega, R.transpose() * work.w_WB[link]);
  }
  if (std::max({dx, angle, dv, dw}) <= mechanics::start_tolerance) return;
  notes.push_back("the start was moved onto the constraints: bodies by up to " + mechanics::brief(dx) +
                  " m and " + mechanics::brief(angle) + " rad, their velocities by up to " +
                  mechanics::brief(dv) + " m/s and " + mechanics::brief(dw) + " rad/s");
}

/// Adds a note on how far the given values of joints were moved. For a quaternion, this is the angle between
/// the attitudes.
void tell_joint_moves(const Model& tree, const Start& start, const State& x,
                      std::vector<std::string>& notes) {
  Workspace<double> work(tree);
  forward_kinematics(tree, x.q, x.v, work);
  double moved = 0, rate = 0;
  for (std::size_t j = 0; j < start.joints.size(); ++j) {
    const JointStart& given = start.joints[j];
    const JointKind kind = tree.mechanism().joints[j].kind;
    const DeclaredMotion is = declared_motion(tree, static_cast<int>(j), x.q, x.v, work);
    const bool in_tree = tree.link_of_joint[j] >= 0;
    const int plain = coordinate_count(kind) - (joint_type(kind).quaternion ? 4 : 0);
    for (int k = 0; given.q && k < plain; ++k) {
      const double miss = is.q[k] - (*given.q)[k];
      const bool turns = !in_tree && counts_turns(tree.mechanism().joints[j], k);
      moved = std::max(moved, std::abs(turns ? std::remainder(miss, 2 * std::numbers::pi) : miss));
    }
    if (given.q && joint_type(kind).quaternion) {
      const auto wanted = SO3<>::from(given.q->data() + plain).normalized();
      moved = std::max(moved, (wanted.inverse() * SO3<>::from(is.q.data() + plain)).log().norm());
    }
    for (int k = 0; given.v && k < freedom_count(kind); ++k)
      rate = std::max(rate, std::abs(is.v[k] - (*given.v)[k]));
  }
  if (std::max(moved, rate) <= mechanics::start_tolerance) return;
  notes.push_back("the start was moved onto the constraints: joint coordinates by up to " +
                  mechanics::brief(moved) + " (m or rad), joint rates by up to " + mechanics::brief(rate) +
                  " (m/s or rad/s)");
}

std::vector<std::array<double, 2>> angles_of_joints(const Model& tree, const State& x) {
  Workspace<double> work(tree);
  forward_kinematics(tree, x.q, x.v, work);
  const std::vector<Joint>& joints = tree.mechanism().joints;
  std::vector<std::array<double, 2>> all(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const DeclaredMotion motion = declared_motion(tree, static_cast<int>(j), x.q, x.v, work);
    std::size_t i = 0;
    for (const int k : counted_coordinates(joints[j])) all[j][i++] = motion.q[k];
  }
  return all;
}

/// The same state in absolute form.
State to_absolute(const Model& tree, const State& x, const Model& absolute) {
  Workspace<double> work(tree);
  forward_kinematics(tree, x.q, x.v, work);
  State out{Vec::Zero(absolute.nq()), Vec::Zero(absolute.nv()), {}};
  for (int link = 0; link < absolute.size(); ++link) {
    const int at = tree.link_of_body[absolute.body[link]];
    const Mat3& R = work.R_WB[at];
    const SE3<> X_WB(SO3<>::from_matrix(R), work.p_WB[at]);
    double* const q = out.q.data() + absolute.q_begin[link];
    Vector<double, 6> twist;
    twist << R.transpose() * work.v_WB[at], R.transpose() * work.w_WB[at];
    joint_coordinates(absolute.kind[link], 0, X_WB, q);
    joint_rates(absolute.kind[link], absolute.group[link], q, twist, out.v.data() + absolute.v_begin[link]);
  }
  return out;
}

}  // namespace

State consistent_start(const Model& model, const Start& start, double t, Consistency consistency,
                       std::vector<std::string>* notes, Treatment treatment,
                       std::vector<std::array<double, 2>>* angles) {
  const mechanics::DefaultArithmetic arithmetic;
  const bool project = consistency == Consistency::project;
  std::optional<Model> spanning;
  if (model.formulation() == Formulation::absolute)
    spanning.emplace(model.mechanism(), Formulation::tree, model.cut());
  const Model& tree = spanning ? *spanning : model;
  const State x = assemble(tree, start, t, project, treatment);
  if (!project) mechanics::GivenOutside(tree, start).check(x);
  if (project && notes) tell_moves(tree, start, x, *notes), tell_joint_moves(tree, start, x, *notes);
  if (angles) *angles = angles_of_joints(tree, x);
  return spanning ? to_absolute(tree, x, model) : x;
}

}  // namespace torsor
