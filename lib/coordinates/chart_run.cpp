#include <limits>
#include <optional>
#include <stdexcept>

#include "run/energy_account.hpp"
#include "run/floating_point.hpp"
#include "run/run_system.hpp"
#include "run/start_size.hpp"
#include "torsor/coordinates/chart_trajectory.hpp"

namespace torsor {
namespace {

double greatest(const Vec& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }

/// Makes a ChartSample of a state and updates the energy account.
class ChartSampler {
 public:
  ChartSampler(const Chart& chart, const ChartSampleSink& sink, ChartTrajectory& trajectory)
      : chart_(chart), sink_(sink), trajectory_(trajectory) {}

  void follow(const State&) {}
  void take(double t, const State& x, double work) {
    if (failure_) return;
    ChartSample sample;
    sample.t = t, sample.x.q = x.q, sample.x.v = x.v;
    sample.work = work;
    try {
      measure(sample);
      energy_.add(t, {sample.kinetic, sample.potential, sample.work}, trajectory_);
    } catch (const EvaluationError& error) {
      failure_ = error;
      if (!trajectory_.samples.empty()) return;
      without_forces(sample);
    }
    keep(std::move(sample));
  }

  /// The energy of a system in coordinates is reported but not judged, since the user writes its terms.
  void judge(const SimulationOptions&, double, RunSummary&) const {}

  /// Reports a failure if the last states of the run could not be sampled.
  void close() {
    if (!failure_) return;
    RunSummary& summary = trajectory_.summary;
    if (summary.status == StepStatus::reached_end || summary.status == StepStatus::event) {
      summary.status = failure_->status;
      summary.message = failure_->what();
    }
    summary.t = trajectory_.samples.back().t;
    summary.x = trajectory_.samples.back().x;
  }

 private:
  void keep(ChartSample sample) {
    if (sink_) sink_(sample);
    auto& samples = trajectory_.samples;
    if (sink_ && samples.size() == 2) {
      for (double ChartSample::*residual : {&ChartSample::position_residual, &ChartSample::velocity_residual,
                                            &ChartSample::acceleration_residual})
        trajectory_.passed.*residual = std::max(trajectory_.passed.*residual, samples.back().*residual);
      samples.pop_back();
    }
    samples.push_back(std::move(sample));
  }

  void measure(ChartSample& sample) {
    const double t = sample.t;
    const Vec &q = sample.x.q, &u = sample.x.v;
    const int n = chart_.size(), m = chart_.rows();
    Vec lambda(m), phi(m), psi(m);
    sample.a.resize(n), sample.quasi.resize(n);
    chart_.acceleration(t, q, u, sample.a, lambda);
    chart_.quasi_velocities(t, q, u, sample.quasi);
    sample.multipliers = chart_.multipliers(t, q, u, lambda);
    const ChartEnergy energy = chart_.energy(t, q, u);
    sample.kinetic = energy.kinetic, sample.potential = energy.potential;
    if (!first_carried_) first_carried_ = energy.carried;
    sample.work += energy.carried - *first_carried_;
    chart_.position_residual(t, q, phi);
    chart_.velocity_residual(t, q, u, psi);
    sample.position_residual = greatest(phi);
    sample.velocity_residual = greatest(psi);
    sample.acceleration_residual = acceleration_residual(sample, lambda);
  }

  /// G u' - f - A^T lambda and A u' + gamma.
  double acceleration_residual(const ChartSample& sample, const Vec& lambda) const {
    if (chart_.maps_velocity()) return 0;  // u' belongs to another velocity
    const double t = sample.t;
    const Vec &q = sample.x.q, &u = sample.x.v;
    Vec f(u.size()), Ga(u.size()), reaction(u.size()), gamma(lambda.size()), Aa(lambda.size());
    chart_.force(t, q, u, f);
    chart_.metric_times(t, q, sample.a, Ga);
    chart_.reaction(t, q, lambda, reaction);
    chart_.constraint_bias(t, q, u, gamma);
    chart_.constraint_times(t, q, sample.a, Aa);
    const double scale = std::max({greatest(f), greatest(Ga), greatest(reaction), 1.});
    const double row_scale = std::max({greatest(gamma), greatest(Aa), 1.});
    return std::max(greatest(Ga - f - reaction) / scale, greatest(Aa + gamma) / row_scale);
  }

  /// For a state at which the forces cannot be evaluated: sets the values that follow from the motion; the
  /// others are NaN.
  void without_forces(ChartSample& sample) const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    sample.a.setConstant(chart_.size(), none);
    sample.quasi.setConstant(chart_.size(), none);
    sample.multipliers.setConstant(chart_.all_rows(sample.t, sample.x.q).rows(), none);
    sample.kinetic = sample.potential = sample.acceleration_residual = none;
  }

  const Chart& chart_;
  const ChartSampleSink& sink_;
  ChartTrajectory& trajectory_;
  sim::EnergyAccount energy_;
  std::optional<double> first_carried_;
  std::optional<EvaluationError> failure_;
};

Event event_of(const ChartEvent& spec, const Chart& chart) {
  if (spec.coordinate < 0 || spec.coordinate >= chart.size())
    throw std::invalid_argument("event \"" + spec.name + "\": there is no coordinate " +
                                std::to_string(spec.coordinate));
  auto function = [spec](double t, const State& x) {
    return (spec.of_rate ? x.v : x.q)[spec.coordinate] - spec.value(t);
  };
  return {spec.name, std::move(function), spec.direction, spec.stop};
}

}  // namespace

ChartTrajectory run(const Chart& chart, const State& start, const SimulationOptions& options,
                    const std::vector<ChartEvent>& events, const ChartSampleSink& sink) {
  const sim::DefaultArithmetic arithmetic;
  sim::check_size(start, chart.nq(), chart.nv());
  SimulationOptions all = options;
  for (const ChartEvent& spec : events) all.events.push_back(event_of(spec, chart));
  ChartTrajectory trajectory;
  ChartSampler sampler(chart, sink, trajectory);
  State x = start;
  if (chart.maps_velocity()) chart.velocity(options.t_begin, x.q, x.v, x.v);
  if (chart.rows() > 0)
    sim::run_system<sim::ConstrainedWork>(chart, x, all, sampler, trajectory.summary);
  else
    sim::run_system<sim::FreeWork>(chart, x, all, sampler, trajectory.summary);
  sampler.close();
  arithmetic.note_in(trajectory.summary.note);
  return trajectory;
}

}  // namespace torsor
