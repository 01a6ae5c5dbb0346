#include "branch_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

/// A change of the velocity in one step near a singular configuration counts as a jump if it exceeds this
/// part of the speed and this multiple of the change in each of the two steps before. Motions on different
/// branches have velocities that differ by about the speed.
constexpr double jump_of_speed = 0.1, jump_of_change = 4;

/// Greatest change of the velocity in one step (1/s) by the error of accelerations beside the constraints that
/// needs no note: a thirtieth, as in Conditioning::branch_distance.
constexpr double without_note = 1. / 30;

}  // namespace

BranchWatch::BranchWatch(const System& system, bool estimates, bool drifts)
    : system_(system), constrained_(system.constrained()), estimates_(estimates), drifts_(drifts) {}

/// A projection may converge to a solution of the constraints to which the motion does not lead. The step is
/// then longer than the velocities at its ends allow. The displacement in exponential coordinates is at most
/// pi/2 times the path (a screw of half a turn reaches this bound). The limit is twice this bound, with the
/// greater speed of the ends.
std::string BranchWatch::why_left(double t, const State& x, const State& end, double h,
                                  const StepError& error) {
  moved_.resize(system_.nv());
  system_.local_difference(x.q, end.q, moved_);
  const double moved = size_of(x, moved_);
  const double speed = std::max(size_of(x, x.v), size_of(end, end.v));
  const double limit = std::numbers::pi * h * speed + std::sqrt(std::numeric_limits<double>::epsilon());
  if (moved <= limit)
    return estimates_ || drifts_ || !error.near_singular() ? std::string() : why_jumped(t, x, end, h);
  return "the state moves by " + brief(moved) +
         " (rad, or relative to the size of the mechanism), but the velocities at the ends " +
         "of the step allow at most " + brief(limit) + ": the step leaves the branch of the constraints";
}

/// Why the velocity jumps to that of another branch; empty if it does not. If a step ends nearer to a
/// singular configuration than its own error, its end may lie on either of the branches that meet there.
/// Steps with an error estimate show this by their error, and treatments that do not project by their
/// distance from the constraints. An oscillation about a singular configuration has its greatest speed there,
/// so in one step the velocity may not change at all; the greater change in the last two steps counts.
/// Without a step before, the change is not known. On another branch the velocity has another direction too.
std::string BranchWatch::why_jumped(double t, const State& x, const State& end, double h) {
  if (!(last_.size > 0)) return {};
  const Eigen::Index n = system_.nv() - system_.additions();
  std::vector<Vec> v{x.v.head(n), end.v.head(n), h / last_.size * (x.v - last_.v).head(n)};
  if (older_.size > 0) v.push_back(h / older_.size * (last_.v - older_.v).head(n));
  std::string why;
  const auto judge = [&](double condition, const std::vector<Vec>& V) {
    const double speed = std::max(V[0].norm(), V[1].norm()), change = (V[1] - V[0]).norm();
    const double before = std::max(V[2].norm(), V.size() > 3 ? V[3].norm() : 0);
    const double along = V[0].squaredNorm() > 0 ? V[0].dot(V[1]) / V[0].squaredNorm() : 0;
    const double turned = (V[1] - along * V[0]).norm();
    if (!(change > jump_of_speed * speed && change > jump_of_change * before)) return;
    if (!(turned > jump_of_speed * V[1].norm() && h * speed > Conditioning::branch_distance(condition)))
      return;
    why = "the velocity changes by " + brief(change / speed) + " of the speed in the step, and by " +
          brief(before / speed) +
          " of it in the steps before: the step leaves the branch of the constraints; " +
          "another step size may pass the singular configuration";
  };
  constrained_->conditioning().visit_loops(Conditioning::nearly_lost, t, x.q, v, judge);
  return why;
}

double BranchWatch::change_of_velocity(const State& x, const State& end) {
  moved_ = end.v - x.v;
  return size_of(x, moved_);
}

double BranchWatch::size_of(const State& at, const Vec& xi) {
  none_.setZero(system_.nv());
  return system_.error_norm(at, xi, none_);
}

void BranchWatch::accept(const State& x, double h) {
  if (!constrained_ || estimates_) return;
  std::swap(older_, last_);
  last_.v = x.v, last_.size = h;
}

/// A treatment that does not project leaves states at a distance from the constraints. The violated
/// constraints have no singular configuration there: within about the root of their residual, the motion
/// turns to another branch.
std::string BranchWatch::doubt(double t, const State& x, const StepError& error) {
  off_ = 0;
  if (!drifts_ || !error.near_singular()) return {};
  constrained_->choices().choose(t, x.q);
  q_ = x.q;
  try {
    constrained_->project_position(t, q_);
  } catch (const EvaluationError& failed) {
    if (failed.status != StepStatus::constraint_lost && failed.status != StepStatus::singular) throw;
    return failed.what();
  }
  moved_.resize(system_.nv());
  system_.local_difference(x.q, q_, moved_);
  off_ = size_of(x, moved_);
  if (off_ <= Conditioning::branch_distance(constrained_->conditioning().condition())) return {};
  return "the state is off the constraints by " + brief(off_) +
         " (rad, or relative to the size of the mechanism), so its branch is in doubt; treatments "
         "other than dynamic and minimal project the state";
}

/// At the distance d from the constraints, accelerations have an error of about d times the condition
/// (docs/singular_configurations.md). Under a tolerance, the error estimate contains this error.
std::string BranchWatch::drift_note(const std::string& rank_loss, double h, const StepError& error) const {
  if (!(h * off_ * error.condition > without_note)) return {};
  return rank_loss + "; the state is off the constraints by " + brief(off_) +
         " (rad, or relative to the size of the mechanism) there, which may have changed the motion: a "
         "tolerance in place of the fixed step chooses steps that pass such configurations, and treatments "
         "other than dynamic and minimal project the state";
}

}  // namespace torsor::mechanics
