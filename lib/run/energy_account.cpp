#include "energy_account.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "system/text.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::mechanics {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A run under a tolerance has a note if its drift, relative to the greatest kinetic energy plus the greatest
/// work, exceeds this multiple of the tolerance. Scenes with sufficiently small steps reach 35, with four
/// methods and tolerances from 1e-4 to 1e-10; steps beyond the period of a force gave 1e4 and more.
constexpr double multiple_with_note = 1000;
/// A drift beyond this share of the greatest kinetic energy plus the greatest work always has a note.
constexpr double share_with_note = 0.01;

constexpr const char* too_large_for_work =
    " for the work, which the tolerance does not include: give a max_step below the periods of the forces";

}  // namespace

void EnergyAccount::add(double t, const EnergyBalance& now, Trajectory& trajectory) {
  const double energy = now.kinetic + now.potential;
  if (count_ == 0) first_energy_ = energy, first_kinetic_ = now.kinetic, first_potential_ = now.potential;
  const double drift = energy - first_energy_ - now.work;
  // A drift that is NaN stays NaN. The first sample has no drift.
  if (count_ > 0 && !std::isnan(trajectory.energy_max_drift) &&
      !(std::abs(drift) <= trajectory.energy_max_drift))
    trajectory.energy_max_drift = std::abs(drift);
  watch(t, drift, now);
  ++count_;
  const double dt = t - t_mean_;
  t_mean_ += dt / count_;
  drift_mean_ += (drift - drift_mean_) / count_;
  t_t_ += dt * (t - t_mean_);
  t_drift_ += dt * (drift - drift_mean_);
  trajectory.energy_drift_slope = t_t_ > 0 ? t_drift_ / t_t_ : 0;
}

void EnergyAccount::widen(const EnergyBalance& between) {
  kinetic_ = std::max(kinetic_, std::abs(between.kinetic));
  work_ = std::max(work_, std::abs(between.work));
  const double available =
      first_kinetic_ + std::max(0., first_potential_ - between.potential) + std::max(0., between.work);
  available_ =
      std::max(available_, between.kinetic < 0 ? std::numeric_limits<double>::infinity() : available);
  per_error_ = std::max(per_error_, between.per_error);
  greatest_ = std::max(greatest_, std::abs(between.kinetic) + std::abs(between.potential) +
                                      std::abs(between.work) + between.per_error);
}

void EnergyAccount::watch(double t, double drift, const EnergyBalance& now) {
  widen(now);
  if (drift > gain_) gain_ = drift, gain_t_ = t;
  const double moved = kinetic_ + work_;
  if (std::abs(drift) <= moved + std::sqrt(eps) * greatest_) return;
  std::optional<Off>& off = drift < 0 ? lost_ : gained_;
  if (!off) off = {t, std::abs(drift), moved};
}

void EnergyAccount::judge(const SimulationOptions& options, double step_errors, double work_error,
                          double max_drift, RunSummary& summary) const {
  if (summary.status != StepStatus::reached_end && summary.status != StepStatus::event) return;
  if (options.treatment.reduced_order) return;  // the truncated motion leaves out a part of the work
  const std::string off = options.method + ": energy minus work has drifted by ";
  if (options.tolerance_in_force() && work_ == 0 && per_error_ > 0) {
    const double explained =
        step_errors * per_error_ + static_cast<double>(summary.accepted) * eps * greatest_;
    if (max_drift <= explained) return note_drift(options, max_drift, work_error, summary);
    summary.message = off + brief(max_drift) + " J, but the allowed errors of the steps explain at most " +
                      brief(explained) + " J: the tolerance was not reached";
  } else {
    const bool damps = find_method(options.method)->damps();
    const auto& first = lost_ && !damps ? lost_ : gained_;
    // From rest, a method of order 1 has hardly a displacement after a step and a short second one.
    const double rest = std::sqrt(eps) * greatest_;
    const bool runs_away =
        !first && summary.accepted > 2 && gain_ > 2 * available_ + rest && kinetic_ > 2 * available_ + rest;
    if (!first && !runs_away) return note_drift(options, max_drift, work_error, summary);
    const double size = first ? first->drift : gain_, bound = first ? first->moved : 2 * available_;
    summary.message = off + brief(size) + " J at t = " + brief(first ? first->t : gain_t_) + ", more than " +
                      (first ? "the greatest kinetic energy plus the greatest work until then, "
                             : "twice the energy that was available in the run, ") +
                      brief(bound) + " J: the steps are too large";
    if (size <= bound + work_error) summary.message += too_large_for_work;
  }
  summary.status = StepStatus::energy_lost;
}

/// Writes a note if the drift is large, but within its bound (energy_account.hpp).
void EnergyAccount::note_drift(const SimulationOptions& options, double drift, double work_error,
                               RunSummary& summary) const {
  const double moved = kinetic_ + work_;
  const std::optional<double> tolerance = options.tolerance_in_force();
  const double share =
      tolerance ? std::min(share_with_note, multiple_with_note * *tolerance) : share_with_note;
  const double small = share * moved + std::sqrt(eps) * greatest_;
  if (!(drift > small)) return;
  summary.note +=
      (summary.note.empty() ? "" : "; ") + std::string("energy minus work has drifted by ") + brief(drift) +
      " J, " + brief(100 * drift / moved) +
      " % of the greatest kinetic energy plus the greatest work: the steps " +
      (drift <= work_error ? std::string("are too large") + too_large_for_work : "may be too large");
  if (gain_ <= small && find_method(options.method)->damps())
    summary.note += ", or " + options.method + " has damped fast motions";
}

}  // namespace torsor::mechanics
