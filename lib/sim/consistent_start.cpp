#include "torsor/sim/consistent_start.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "constraint_matrix.hpp"
#include "given_outside.hpp"
#include "text.hpp"
#include "torsor/model/declared_joint.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/sim/mechanism_system.hpp"

namespace torsor {
namespace {

constexpr double tolerance = 1e-9;

using Matrix = Eigen::MatrixXd;

/// Numbers of the tree of which nothing is given.
struct Unknowns {
  std::vector<int> coordinates, rates;
};

Unknowns unknowns(const Model& tree, const Start& start) {
  Unknowns all;
  for (int link = 0; link < tree.size(); ++link) {
    const int joint = tree.joint[link];
    const BodyStart body = start.bodies.empty() ? BodyStart() : start.bodies[tree.body[link]];
    const JointStart at_joint = start.joints.empty() || joint < 0 ? JointStart() : start.joints[joint];
    const bool placed = at_joint.q || body.x || body.R;
    const bool moved = at_joint.v || body.v_W || body.v_B || body.omega_W || body.Omega;
    for (int k = 0; k < freedom_count(tree.kind[link]); ++k) {
      if (!placed) all.coordinates.push_back(tree.v_begin[link] + k);
      if (!moved) all.rates.push_back(tree.v_begin[link] + k);
    }
  }
  return all;
}

/// Adds to the numbers `which` of x the least change with A change = -residual.
void add_least_change(const Matrix& A, const Vec& residual, const std::vector<int>& which, VecOut x) {
  const Vec change = A.completeOrthogonalDecomposition().solve(-residual);
  for (std::size_t j = 0; j < which.size(); ++j) x[which[j]] += change[static_cast<Eigen::Index>(j)];
}

double greatest(const Vec& a) { return a.size() ? a.lpNorm<Eigen::Infinity>() : 0; }

class Completion {
 public:
  Completion(const MechanismSystem& system, double t, double length, const Start& start)
      : system_(system),
        t_(t),
        length_(length),
        unknown_(unknowns(system.model(), start)),
        outside_(system.model(), start) {}

  void solve_coordinates(Vec& q) const {
    if (unknown_.coordinates.empty()) return;
    Vec phi(system_.rows()), xi(system_.nv()), q_next(q.size());
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 50; ++i) {
      system_.position_residual(t_, q, phi);
      const Vec residual = both(phi, outside_.coordinate_residual(q));
      if (greatest(residual) < 1e-14 * length_ || !(greatest(residual) < 10 * last)) return;
      last = greatest(residual);
      xi.setZero();
      const auto outside = [&](const Vec& unit) { return outside_.coordinate_rates(q, unit); };
      add_least_change(columns(q, unknown_.coordinates, outside), residual, unknown_.coordinates, xi);
      if (const double size = greatest(xi) / std::max(1., length_); size > 0.5) xi *= 0.5 / size;
      system_.retract(q, xi, q_next);
      q = q_next;
    }
  }

  void solve_rates(const Vec& q, Vec& v) const {
    if (unknown_.rates.empty()) return;
    Vec psi(system_.rows());
    system_.velocity_residual(t_, q, v, psi);
    const Vec residual = both(psi, outside_.rate_residual(q, v));
    if (greatest(residual) == 0) return;
    const auto outside = [&](const Vec& unit) { return outside_.rate_rates(q, unit); };
    add_least_change(columns(q, unknown_.rates, outside), residual, unknown_.rates, v);
  }

  /// One reason for each joint or constraint that is off.
  std::vector<std::string> residuals(const Vec& residual, double size, bool of_velocity) const {
    std::vector<std::string> reasons;
    int at = 0;
    for (const Constraints::Item& item : system_.constraints().items()) {
      if (item.tree) continue;
      double off = 0, turned = 0;
      for (int row = 0; row < item.rows; ++row, ++at) {
        const bool angle =
            system_.constraints().rows()[item.row_begin + row].kind == Constraints::Row::Kind::torque;
        double& worst = angle ? turned : off;
        worst = std::max(worst, std::abs(residual[at]));
      }
      const std::string label =
          (item.joint >= 0 ? "joint \"" : "constraint \"") + item.name +
          "\": " + (of_velocity ? "the start velocities miss it by " : "the start positions miss it by ");
      const std::string rate = of_velocity ? "/s" : "";
      if (off > tolerance * size) reasons.push_back(label + sim::brief(off) + " m" + rate);
      if (turned > tolerance * std::max(1., size / length_))
        reasons.push_back(label + sim::brief(turned) + " rad" + rate);
    }
    return reasons;
  }

  std::vector<std::string> position_faults(const Vec& q) const {
    Vec phi(system_.rows());
    system_.position_residual(t_, q, phi);
    return residuals(phi, std::max(1., length_), false);
  }
  std::vector<std::string> velocity_faults(const Vec& q, const Vec& v) const {
    Vec psi(system_.rows());
    system_.velocity_residual(t_, q, v, psi);
    return residuals(psi, std::max({1., length_, greatest(v)}), true);
  }

 private:
  static Vec both(const Vec& a, const Vec& b) {
    Vec out(a.size() + b.size());
    out << a, b;
    return out;
  }

  /// The constraint matrix, and the rates `outside` of what is given outside the tree, in the columns of some
  /// velocities.
  template <class Outside>
  Matrix columns(const Vec& q, const std::vector<int>& which, const Outside& outside) const {
    const Matrix rows = sim::constraint_matrix(system_, t_, q);
    Matrix A(0, which.size());
    for (std::size_t j = 0; j < which.size(); ++j) {
      const Vec column = both(rows.col(which[j]), outside(Vec::Unit(system_.nv(), which[j])));
      A.conservativeResize(column.size(), A.cols());
      A.col(static_cast<Eigen::Index>(j)) = column;
    }
    return A;
  }

  const MechanismSystem& system_;
  double t_, length_;
  Unknowns unknown_;
  sim::GivenOutside outside_;
};

[[noreturn]] void refuse(std::vector<std::string> reasons, const char* outlook) {
  reasons.back() += outlook;
  throw StartError(std::move(reasons));
}

/// Refuses a start that cannot be moved onto the constraints: by those that the nearest state, whatever was
/// given, still misses.
[[noreturn]] void blame(const MechanismSystem& system, double t, double length, State x,
                        const std::string& why) {
  const Completion all(system, t, length, Start());
  all.solve_coordinates(x.q);
  auto faults = all.position_faults(x.q);
  if (faults.empty()) {
    all.solve_rates(x.q, x.v);
    faults = all.velocity_faults(x.q, x.v);
  }
  if (faults.empty()) throw StartError({"no start fits the constraints: " + why});
  const bool several = faults.size() > 1;
  refuse(std::move(faults), several ? "; no start meets all of them" : "; no start meets it");
}

/// The state of `tree` moved onto its constraints.
void complete(const Model& tree, const Start& start, double t, Consistency consistency, State& x) {
  const double length = mechanism_length(tree, x.q);
  const MechanismSystem system(tree, length);
  const Completion completion(system, t, length, start);
  completion.solve_coordinates(x.q);
  std::vector<std::string> missed = completion.position_faults(x.q);
  State moved = x;
  try {
    system.project_position(t, moved.q);
    completion.solve_rates(moved.q, moved.v);
    if (missed.empty()) missed = completion.velocity_faults(moved.q, moved.v);
    system.project_velocity(t, moved.q, moved.v);
  } catch (const EvaluationError& error) {
    blame(system, t, length, x, error.what());
  }
  // Velocities may still contradict the rows where these depend on one another.
  if (!completion.velocity_faults(moved.q, moved.v).empty())
    blame(system, t, length, moved, "velocities contradict each other");
  if (!missed.empty() && consistency == Consistency::error)
    refuse(std::move(missed),
           "; consistent = \"project\" would move the start to the nearest state that fits");
  x = std::move(moved);
}

/// How far what was given has been moved.
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
  if (std::max({dx, angle, dv, dw}) <= tolerance) return;
  notes.push_back("the start was moved onto the constraints: bodies by up to " + sim::brief(dx) + " m and " +
                  sim::brief(angle) + " rad, their velocities by up to " + sim::brief(dv) + " m/s and " +
                  sim::brief(dw) + " rad/s");
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
                       std::vector<std::string>* notes) {
  const bool project = consistency == Consistency::project;
  std::optional<Model> spanning;
  if (model.formulation() == Formulation::absolute)
    spanning.emplace(model.mechanism(), Formulation::tree, model.cut());
  const Model& tree = spanning ? *spanning : model;
  State x = make_start(tree, start, project ? std::numeric_limits<double>::infinity() : tolerance);
  if (tree.constrained()) complete(tree, start, t, consistency, x);
  if (!project) sim::GivenOutside(tree, start).check(x);
  if (project && notes) tell_moves(tree, start, x, *notes);
  return spanning ? to_absolute(tree, x, model) : x;
}

}  // namespace torsor
