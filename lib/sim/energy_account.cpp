#include "energy_account.hpp"

#include <limits>

#include "text.hpp"

namespace torsor::sim {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

}  // namespace

void EnergyAccount::watch(double t, double drift, const EnergyBalance& now) {
  kinetic_ = std::max(kinetic_, now.kinetic);
  work_ = std::max(work_, std::abs(now.work));
  per_error_ = std::max(per_error_, now.per_error);
  greatest_ = std::max(greatest_, now.kinetic + std::abs(now.potential) + std::abs(now.work) + now.per_error);
  const double moved = kinetic_ + work_;
  if (!loss_ && !(drift <= moved + std::sqrt(eps) * greatest_)) loss_ = {t, drift, moved};
}

void EnergyAccount::judge(const SimulationOptions& options, double step_errors, double max_drift,
                          RunSummary& summary) const {
  if (summary.status != StepStatus::reached_end && summary.status != StepStatus::event) return;
  if (options.treatment.reduced_order) return;  // the order leaves out a part of the work
  const std::string off = options.method + ": energy less work is off by ";
  if (options.tolerance && work_ == 0) {
    const double explained =
        step_errors * per_error_ + static_cast<double>(summary.accepted) * eps * greatest_;
    if (max_drift <= explained) return;
    summary.message = off + brief(max_drift) +
                      " J, and the errors that the steps were allowed explain no more than " +
                      brief(explained) + " J: the tolerance was not reached";
  } else {
    if (!loss_) return;
    summary.message = off + brief(loss_->drift) + " J at t = " + brief(loss_->t) +
                      ", more than the greatest kinetic energy and work until then, " + brief(loss_->moved) +
                      " J: the steps are too long";
  }
  summary.status = StepStatus::energy_lost;
}

}  // namespace torsor::sim
