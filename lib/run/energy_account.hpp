#pragma once

#include <optional>
#include <string>

#include "torsor/run/trajectory.hpp"

namespace torsor::mechanics {

/// The energy at one instant, J. The kinetic energy may be negative if a Lagrangian gives it.
struct EnergyBalance {
  double kinetic = 0, potential = 0, work = 0;
  double per_error = 0;  ///< greatest change of the energy by an error of 1 in System::error_norm; 0: unknown
};

/// The drift of energy minus work over the samples of a run: greatest size and slope by least squares.
/// `judge` decides at the end whether the errors of the steps explain the drift.
class EnergyAccount {
 public:
  /// Adds a sample, and updates the drift of the trajectory.
  void add(double t, const EnergyBalance& now, Trajectory& trajectory);
  /// Adds the magnitudes at a state between samples to the bounds. All samples may lie at turning points, and
  /// the kinetic energy is 0 there.
  void widen(const EnergyBalance& between);

  /// Changes the status from reached_end or event to energy_lost if the errors of the steps do not explain
  /// the drift. The exact motion conserves energy minus work, so the energy errors of the steps add up, and
  /// none of them grows later:
  ///
  ///   with a tolerance, if no work has to be integrated and the energy per error is known,
  ///       drift <= sum of the errors that the steps were allowed x greatest energy per error
  ///                + one rounding error of the energy for each step;
  ///   otherwise (a fixed step has no error estimate, the tolerance does not cover the work, and the energy
  ///   per error is not known in coordinates) at every output
  ///       drift <= greatest kinetic energy + greatest work so far + sqrt(eps) x greatest energy.
  ///       A motion that runs away has a kinetic energy as great as its drift. So a run of three steps or
  ///       more also fails if the gain and the greatest kinetic energy both exceed, in the whole run,
  ///       2 (kinetic energy at the start + greatest sum of potential energy released and work done)
  ///       + sqrt(eps) x greatest energy. If a kinetic energy is negative, this is not judged.
  ///       A method that damps fast motions may lose more.
  ///
  /// Explicit methods estimate the error of the work that they integrate. If this estimate explains the drift
  /// beyond the bound, the message says that the steps are too large for the work.
  ///
  /// Otherwise the run gets a note if the drift exceeds a hundredth of the greatest kinetic energy and work,
  /// under a tolerance a thousand times the tolerance of them if this is less, plus sqrt(eps) x greatest
  /// energy. At a hundredth, velocities have errors of half a percent or more. The note says if the error of
  /// the work explains the drift, and if a method that damps fast motions may have lost the energy. Runs with
  /// `reduced_order` and of SystemInCoordinates without `keeps_energy` are not judged.
  ///
  /// `step_errors`: the sum of the errors that the steps were allowed. `work_error`: the sum of the error
  /// estimates of the work, J.
  void judge(const SimulationOptions& options, double step_errors, double work_error, double max_drift,
             RunSummary& summary) const;

 private:
  void watch(double t, double drift, const EnergyBalance& now);
  void note_drift(const SimulationOptions& options, double drift, double work_error,
                  RunSummary& summary) const;

  struct Off {
    double t, drift, moved;
  };

  double first_energy_ = 0, first_kinetic_ = 0, first_potential_ = 0;
  /// The greatest sum so far of the kinetic energy at the start, the potential energy released, and the work
  /// done, without negative parts; infinite where a kinetic energy is negative.
  double available_ = 0;
  double kinetic_ = 0, work_ = 0, per_error_ = 0;  ///< the greatest so far
  double greatest_ = 0;                            ///< greatest sum of the magnitudes of all terms
  double gain_ = 0, gain_t_ = 0;                   ///< greatest positive drift, and its time
  std::optional<Off> gained_, lost_;               ///< first drift beyond the bound of the second case
  // Running means of time and drift, and their second moments.
  double count_ = 0, t_mean_ = 0, drift_mean_ = 0, t_t_ = 0, t_drift_ = 0;
};

}  // namespace torsor::mechanics
