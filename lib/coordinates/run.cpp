#include "torsor/coordinates/run.hpp"

#include <limits>
#include <new>
#include <optional>
#include <stdexcept>

#include "floating_point.hpp"
#include "greatest.hpp"
#include "run/run_system.hpp"
#include "run/sample_keeper.hpp"
#include "run/start_size.hpp"
#include "system/text.hpp"

namespace torsor {
namespace {

/// Makes the samples of a run in coordinates.
class CoordinateSampler {
 public:
  CoordinateSampler(const SystemInCoordinates& system, const SampleSink& sink, Trajectory& trajectory)
      : system_(system), keeper_(sink, trajectory), by_connection_(system.by_connection()) {}

  void take(double t, const State& x, double work) {
    if (keeper_.failed()) return;
    Sample sample;
    sample.t = t, sample.x.q = x.q, sample.x.v = x.v;
    sample.invariants.work = work;
    keeper_.take(
        std::move(sample), [&](Sample& one) { mechanics::call_user("the system", [&] { measure(one); }); },
        [](const Sample&) { return 0.; }, [&](Sample& one) { without_forces(one); });
  }

  void look(double t, const State& x, double work) {
    keeper_.widen(
        [&] { return mechanics::call_user("the system", [&] { return balance(t, x.q, x.v, work); }); });
  }

  /// Judges the drift without the energy per error, which is unknown because the user writes the terms of the
  /// energy.
  void judge(const SimulationOptions& options, double step_errors, double work_error,
             RunSummary& summary) const {
    if (system_.keeps_energy()) keeper_.judge(options, step_errors, work_error, summary);
  }

  void close() { keeper_.close(); }

 private:
  void measure(Sample& sample) {
    const double t = sample.t;
    const Vec &q = sample.x.q, &u = sample.x.v;
    const int n = system_.size(), m = system_.rows();
    Invariants& invariants = sample.invariants;
    Vec lambda(m), phi(m), psi(m);
    sample.a.resize(n), sample.quasi_velocities.resize(n);
    const bool determined = keeper_.find_acceleration(system_, sample, lambda);
    check_connection(t, q);
    system_.quasi_velocities(t, q, u, sample.quasi_velocities);
    sample.multipliers = system_.multipliers(t, q, u, lambda);
    const mechanics::EnergyBalance energy = balance(t, q, u, invariants.work);
    invariants.kinetic = energy.kinetic, invariants.potential = energy.potential;
    invariants.work = energy.work;
    system_.position_residual(t, q, phi);
    system_.velocity_residual(t, q, u, psi);
    invariants.position_residual = linear::greatest(phi);
    invariants.velocity_residual = linear::greatest(psi);
    invariants.acceleration_residual =
        determined ? acceleration_residual(sample, lambda) : std::numeric_limits<double>::quiet_NaN();
  }

  /// `work`: without the work that moving coordinates do.
  mechanics::EnergyBalance balance(double t, const Vec& q, const Vec& u, double work) {
    const CoordinateEnergy energy = system_.energy(t, q, u);
    if (!first_carried_) first_carried_ = energy.carried;
    return {energy.kinetic, energy.potential, work + (energy.carried - *first_carried_)};
  }

  /// The weak condition, which a connection need not meet everywhere, is checked at every output.
  void check_connection(double t, const Vec& q) const {
    if (!by_connection_) return;
    const AffinitiesAt at = system_.affinities_at(t, q);
    if (at.weak_residual() <= AffinitiesAt::rounding) return;
    throw EvaluationError(StepStatus::connection_lost, "the connection does not give the motion: " +
                                                           at.fault("t = " + mechanics::brief(t) + " s"));
  }

  /// The greatest component of M u' - f - A^T lambda and of A u' + gamma, each relative to its greatest term,
  /// or to 1 if that is less.
  double acceleration_residual(const Sample& sample, const Vec& lambda) const {
    if (system_.velocity_map()) return 0;  // u' belongs to another velocity
    const double t = sample.t;
    const Vec &q = sample.x.q, &u = sample.x.v;
    Vec f(u.size()), Ma(u.size()), reaction(u.size()), gamma(lambda.size()), Aa(lambda.size());
    system_.force(t, q, u, f);
    system_.mass_times(t, q, u, sample.a, Ma);
    system_.reaction(t, q, lambda, reaction);
    system_.constraint_bias(t, q, u, gamma);
    system_.constraint_times(t, q, sample.a, Aa);
    using linear::greatest;
    const double scale = std::max({greatest(f), greatest(Ma), greatest(reaction), 1.});
    const double row_scale = std::max({greatest(gamma), greatest(Aa), 1.});
    return max_or_nan(greatest(Ma - f - reaction) / scale, greatest(Aa + gamma) / row_scale);
  }

  /// For a state at which the forces cannot be evaluated: sets the values that `measure` computes to NaN.
  void without_forces(Sample& sample) const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    sample.a.setConstant(system_.size(), none);
    sample.quasi_velocities.setConstant(system_.size(), none);
    sample.multipliers.setConstant(system_.row_count(), none);
    sample.invariants.kinetic = sample.invariants.potential = sample.invariants.acceleration_residual = none;
    if (sample.multipliers.size() > 0)
      sample.invariants.position_residual = sample.invariants.velocity_residual = none;
  }

  const SystemInCoordinates& system_;
  mechanics::SampleKeeper keeper_;
  bool by_connection_;
  std::optional<double> first_carried_;
};

Event event_of(const EventSpec& spec, const SystemInCoordinates& system) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("event \"" + spec.name + "\": " + why);
  };
  const bool of_rate = spec.quantity == EventSpec::Quantity::rate;
  if (!of_rate && spec.quantity != EventSpec::Quantity::coordinate)
    refuse("a system in coordinates has no such quantity");
  if (spec.coordinate < 0 || spec.coordinate >= system.size())
    refuse("the system has no coordinate with index " + std::to_string(spec.coordinate));
  if (spec.value.of_state()) refuse("the value of an event in coordinates cannot be a function of the state");
  auto function = [spec, of_rate](double t, const State& x) {
    return (of_rate ? x.v : x.q)[spec.coordinate] - spec.value(t);
  };
  return {spec.name, std::move(function), spec.direction, spec.stop};
}

/// The start with the velocity that the system moves by. If it cannot be evaluated, the start itself: the run
/// then meets the same failure and reports it.
State with_own_velocity(const SystemInCoordinates& system, double t, const State& start) try {
  State x = start;
  if (const VelocityMap* const map = system.velocity_map()) map->velocity(t, x.q, x.v, x.v);
  return x;
} catch (const std::bad_alloc&) {
  throw;
} catch (...) {
  return start;
}

}  // namespace

Trajectory run(const SystemInCoordinates& system, const State& start, const SimulationOptions& options,
               const std::vector<EventSpec>& events, const SampleSink& sink) {
  const mechanics::DefaultArithmetic arithmetic;
  mechanics::check_size(start, system.nq(), system.nv());
  SimulationOptions all = options;
  for (const EventSpec& spec : events) all.events.push_back(event_of(spec, system));
  Trajectory trajectory;
  CoordinateSampler sampler(system, sink, trajectory);
  trajectory.summary =
      mechanics::run_system(system, with_own_velocity(system, options.t_begin, start), all, sampler);
  sampler.close();
  arithmetic.note_in(trajectory.summary.note);
  return trajectory;
}

}  // namespace torsor
