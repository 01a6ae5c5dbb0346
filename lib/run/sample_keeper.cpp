#include "sample_keeper.hpp"

#include <cmath>

namespace torsor::mechanics {

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
