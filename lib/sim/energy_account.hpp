#pragma once

#include <algorithm>
#include <cmath>

namespace torsor::sim {

/// Keeps the drift of energy less work over the samples of a run: its greatest size and its slope by least
/// squares.
class EnergyAccount {
 public:
  /// `Trajectory` has energy_max_drift and energy_drift_slope.
  template <class Trajectory>
  void add(double t, double energy, double work, Trajectory& trajectory) {
    if (count_ == 0) first_energy_ = energy;
    const double drift = energy - first_energy_ - work;
    trajectory.energy_max_drift = std::max(trajectory.energy_max_drift, std::abs(drift));
    ++count_;
    const double dt = t - t_mean_;
    t_mean_ += dt / count_;
    drift_mean_ += (drift - drift_mean_) / count_;
    t_t_ += dt * (t - t_mean_);
    t_drift_ += dt * (drift - drift_mean_);
    trajectory.energy_drift_slope = t_t_ > 0 ? t_drift_ / t_t_ : 0;
  }

 private:
  double first_energy_ = 0;
  // Running means of time and drift, and their second moments.
  double count_ = 0, t_mean_ = 0, drift_mean_ = 0, t_t_ = 0, t_drift_ = 0;
};

}  // namespace torsor::sim
