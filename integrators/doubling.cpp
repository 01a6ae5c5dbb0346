#include "integrators/doubling.hpp"

#include <utility>

#include "guard.hpp"

namespace torsor {

Doubling::Doubling(std::unique_ptr<Stepper> method) : method_(std::move(method)) {}

bool Doubling::advance(const System& system, State& x, double t, double h) {
  status_ = method_->do_step(system, x, t, h);
  if (status_ != StepStatus::accepted) message_ = method_->message(), part_ = method_->part();
  return status_ == StepStatus::accepted;
}

StepStatus Doubling::do_step(const System& system, State& x, double t, double h, Vec* error) {
  return guarded(message_, part_, h, [&] {
    fine_ = x;
    if (!advance(system, fine_, t, h / 2) || !advance(system, fine_, t + h / 2, h / 2)) return status_;
    if (error) {
      coarse_ = x;
      if (!advance(system, coarse_, t, h)) return status_;
      const auto n = x.v.size();
      error->resize(2 * n);
      system.local_difference(coarse_.q, fine_.q, error->head(n));
      error->tail(n) = fine_.v - coarse_.v;
      *error /= std::ldexp(1., method_->order()) - 1;
      if (!error->allFinite()) {
        message_ = "the error estimate is not finite";
        return StepStatus::rejected;
      }
    }
    std::swap(x, fine_);
    return StepStatus::accepted;
  });
}

}  // namespace torsor
