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

/// Circuits nearer to each other than this (rad, or relative to the size of the mechanism) count as one that
/// branches: dimensions that agree to nine digits count as equal. Near a singular configuration, projections had
/// errors of up to 1.5e-5, and this is twice as much.
constexpr double least_gap = 3e-5;

/// A singular configuration is reached at this distance, 1/sqrt(condition).
constexpr double reached = 1e-5;

/// A step passes a singular configuration only if it is longer than this multiple of its least distance from it.
/// This holds for distances at the start of the run of 0.25 (rad, or relative to the size of the mechanism) and
/// more.
constexpr double least_passage = 0.5;

/// Fractions of an interval at which it is divided. None is the middle, which may be the singular
/// configuration itself in a symmetric interval.
constexpr double divisions[] = {0.47, 0.57, 0.38, 0.66};

/// A configuration lies between two others if its distances from them add up to at most this multiple of
/// theirs. Where two branches meet at a right angle, the sum is up to sqrt(2).
constexpr double detour = 1.6;

/// A part of the way is on one circuit if its ends are farther from singular configurations than those of
/// another part by this factor, relative to the length of the part. With a factor of 3, one of 1600 random
/// near-parallelograms passed a gap that was not found.
constexpr double remote = 6;

/// Near a gap, the distances of the ends from singular configurations, relative to the length of the part, stay
/// within this factor of those of the step.
constexpr double steady = 3;

/// Near a gap, these distances add up to at least this part of the length: κ is relative to the start, which is at
/// most about a quarter turn from the singular configuration, so they add up to about the length or more.
constexpr double near_gap = 0.1;

/// On one circuit, a division shortens the interval to about half, and at least to this part.
constexpr double shortened = 0.9;

/// The end of a message on two circuits with this distance.
std::string between_circuits(double gap) {
  return "from one circuit of the constraints to another: they do not meet, but come within about " +
         brief(gap) +
         " (rad, or relative to the size of the mechanism), as if dimensions were not quite equal";
}

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
  if (moved <= limit) {
    if (drifts_ || !constrained_) return {};
    const double passes = error.near_singular() ? Conditioning::branch_distance(error.condition)
                                                : least_passage / std::sqrt(error.condition);
    if (!error.began_singular && error.condition > 1 && moved > passes) {
      const std::string loop(constrained_->conditioning().worst());
      const bool met = met_.contains(loop) && !constrained_->positions_move();
      const std::optional<double> gap = met ? 0. : gap_of_circuits(t, x, end, h);
      if (!gap) met_.insert(loop);
      if (gap.value_or(0) > greatest_gap_) return rejected_ = "the step passes " + between_circuits(*gap);
      gap_ = std::max(gap_, gap.value_or(0));
    }
    return estimates_ || !error.near_singular() ? std::string() : why_jumped(t, x, end, h);
  }
  return "the state moves by " + brief(moved) +
         " (rad, or relative to the size of the mechanism), but the velocities at the ends " +
         "of the step allow at most " + brief(limit) + ": the step leaves the branch of the constraints";
}

/// Whether two branches touch where the last of these parts lies, each of which lies in the part before. Near such
/// a place, the remoteness shrinks at least as fast as the length. Near a gap it stays, until the length of the
/// part is about that of the gap.
bool BranchWatch::touching(const std::vector<Way>& parts, const Way& whole) {
  const auto longer = std::find_if(parts.rbegin(), parts.rend(),
                                   [&](const Way& part) { return part.length >= 2 * parts.back().length; });
  const double remoteness = (longer == parts.rend() ? parts.back() : *longer).remoteness();
  return remoteness < std::max(whole.remoteness() / steady, near_gap);
}

/// The distance between the circuits of the constraints on which a step of size h from (t, x) to `end` begins
/// and ends; 0 if they are one, and none if they meet in a singular configuration. Divides the way between both
/// configurations repeatedly. The part where the ends are nearest to a singular configuration, relative to
/// their distance from each other, comes first. On one circuit, the ends approach each other; on two
/// circuits, they stop at the distance of the circuits. Near this distance, the first choice may be wrong, so
/// the other parts are divided too, unless they are much farther from a singular configuration. Two branches
/// may also be tangent to each other in a singular configuration. The condition then grows faster than the
/// parts shrink, which distinguishes this case from a gap.
std::optional<double> BranchWatch::gap_of_circuits(double t, const State& x, const State& end, double h) {
  Way whole{{t, x.q}, {t + h, end.q}};
  if (measured_.t == t && measured_.q == x.q) whole.a = measured_;
  if ((whole.a.to_singular == 0 && !measure(whole.a)) || !measure(whole.b)) return 0;
  measured_ = whole.b;
  whole.length = distance(x, whole.a, whole.b);
  double least = whole.remoteness();
  std::vector<Way> ways{whole};
  OnConstraints between;
  while (!ways.empty()) {
    Way way = std::move(ways.back());
    ways.pop_back();
    std::vector<Way> parts{way};
    double shortest = way.length;
    for (std::size_t in_vain = 0; way.remoteness() < remote * least;) {
      if (way.nearest() <= reached) return std::nullopt;
      if (way.length <= least_gap) return 0;
      if (way.length <= way.nearest() / 30) break;
      if (in_vain == std::size(divisions)) return touching(parts, whole) ? 0 : way.length;
      if (!divide(way, divisions[in_vain], between)) {
        ++in_vain;
        continue;
      }
      if (!measure(between)) return std::nullopt;
      Way first{way.a, between, distance(x, way.a, between)},
          second{between, way.b, distance(x, between, way.b)};
      if (first.length + second.length <= detour * way.length) {
        if (second.remoteness() < first.remoteness()) std::swap(first, second);
        parts.push_back(way = std::move(first));
        least = std::min(least, way.remoteness());
        ways.push_back(std::move(second));
      }
      in_vain = way.length > shortened * shortest ? in_vain + 1 : 0;
      shortest = std::min(shortest, way.length);
    }
  }
  return 0;
}

/// The size of the displacement between two configurations, in the norm at x.
double BranchWatch::distance(const State& x, const OnConstraints& a, const OnConstraints& b) {
  moved_.resize(system_.nv());
  system_.local_difference(a.q, b.q, moved_);
  return size_of(x, moved_);
}

/// Projects a configuration between a and b; false if projection fails.
bool BranchWatch::divide(const Way& way, double part, OnConstraints& between) {
  const auto& [a, b, length] = way;
  moved_.resize(system_.nv());
  system_.local_difference(a.q, b.q, moved_);
  between.t = a.t + part * (b.t - a.t);
  between.q = a.q;
  none_ = part * moved_;
  system_.retract(a.q, none_, between.q);
  try {
    constrained_->project_position(between.t, between.q);
    return true;
  } catch (const EvaluationError& failed) {
    if (failed.status == StepStatus::callback_failed) throw;
    return false;
  }
}

/// Sets the distance to the singular configuration; false if the constraints have lost rank.
bool BranchWatch::measure(OnConstraints& at) {
  const Vec none = Vec::Zero(system_.nv()), no_rows = Vec::Zero(constrained_->rows());
  Vec any = none, any_rows = no_rows;
  try {
    constrained_->solve(at.t, at.q, none, no_rows, any, any_rows);
  } catch (const EvaluationError& failed) {
    if (failed.status == StepStatus::callback_failed) throw;
    return false;
  }
  at.to_singular = 1 / std::sqrt(constrained_->conditioning().last_condition());
  return true;
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

void BranchWatch::accept(const State& x, double h, bool near_singular) {
  passed_ = std::max(passed_, std::exchange(gap_, 0));
  if (!near_singular) rejected_.clear();
  if (!constrained_ || estimates_) return;
  std::swap(older_, last_);
  last_.v = x.v, last_.size = h;
}

std::string BranchWatch::note() const {
  return passed_ > 0 ? "the motion passes " + between_circuits(passed_) : std::string();
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
