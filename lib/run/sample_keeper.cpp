#include "sample_keeper.hpp"

#include <cmath>
#include <limits>

#include "system/text.hpp"

namespace torsor::mechanics {

bool SampleKeeper::find_acceleration(const ConstrainedSystem& system, Sample& sample, Vec& lambda) {
  std::string cause;
  try {
    system.acceleration(sample.t, sample.x.q, sample.x.v, sample.a, lambda);
    const Conditioning& conditioning = system.conditioning();
    if (conditioning.near_rank_loss()) cause = conditioning.rank_doubt();
    if (cause.empty()) return true;
    cause += " at t = " + text(sample.t);
  } catch (const EvaluationError& error) {
    if (error.status != StepStatus::singular || empty()) throw;
    cause = error.what();
  }
  if (undetermined_++ == 0) first_undetermined_ = cause;
  sample.a.setConstant(std::numeric_limits<double>::quiet_NaN());
  lambda.setConstant(std::numeric_limits<double>::quiet_NaN());
  return false;
}

void SampleKeeper::keep(Sample sample) {
  auto& samples = trajectory_.samples;
  if (sink_ && samples.size() == 2) {
    pass(samples.back());
    samples.pop_back();
  }
  samples.push_back(std::move(sample));
  if (sink_) sink_(samples.back());
}

/// Updates the summary of passed samples with a sample that the trajectory does not keep.
void SampleKeeper::pass(const Sample& sample) {
  PassedSamples& passed = trajectory_.passed;
  for (double Invariants::*residual : {&Invariants::group_defect, &Invariants::position_residual,
                                       &Invariants::velocity_residual, &Invariants::acceleration_residual})
    if (const double one = sample.invariants.*residual; !(one <= passed.greatest.*residual))  // keeps a NaN
      passed.greatest.*residual = std::isnan(passed.greatest.*residual) ? passed.greatest.*residual : one;
  const auto share = [](std::vector<char>& shared, const auto& motions) {
    for (std::size_t i = 0; i < motions.size(); ++i) {
      if (motions[i].unique) continue;
      shared.resize(motions.size(), 0);
      shared[i] = 1;
    }
  };
  share(passed.shared_joints, sample.joints);
  share(passed.shared_constraints, sample.constraints);
}

void SampleKeeper::close() {
  if (undetermined_ > 0) {
    std::string& note = trajectory_.summary.note;
    note += (note.empty() ? "" : "; ") +
            std::string("accelerations and constraint forces are not determined in ") +
            std::to_string(undetermined_) + (undetermined_ > 1 ? " outputs" : " output") + ", first where " +
            first_undetermined_;
  }
  if (!failure_) return;
  RunSummary& summary = trajectory_.summary;
  if (summary.status == StepStatus::reached_end || summary.status == StepStatus::event) {
    summary.status = failure_->status;
    summary.message = failure_->what();
    summary.part = failure_->part;
  }
  summary.t = trajectory_.samples.back().t;
  summary.x = trajectory_.samples.back().x;
}

}  // namespace torsor::mechanics
