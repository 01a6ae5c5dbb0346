#pragma once

#include <functional>
#include <string>
#include <vector>

#include "torsor/coordinates/chart.hpp"
#include "torsor/model/time_function.hpp"

namespace torsor {

/// An event of a system in coordinates: a coordinate or a rate crosses a value.
struct ChartEvent {
  std::string name;
  int coordinate = 0;
  bool of_rate = false;
  TimeFunction value = 0.;
  int direction = 0;  ///< as Event::direction
  bool stop = false;
};

/// The state and the quantities that follow from it, at one instant.
struct ChartSample {
  double t = 0;
  State x;
  Vec a;            ///< u'
  Vec quasi;        ///< quasi-velocities
  Vec multipliers;  ///< of all rows
  double kinetic = 0, potential = 0, work = 0;
  double position_residual = 0, velocity_residual = 0;
  /// The greater residual of the equations of motion and of the rows, each relative to its greatest term.
  double acceleration_residual = 0;

  double energy() const { return kinetic + potential; }
};

/// The result of a run: samples at the output times, and a summary.
struct ChartTrajectory {
  std::vector<ChartSample> samples;
  ChartSample passed;  ///< only its residuals: the greatest over the samples that were not kept
  RunSummary summary;
  double energy_max_drift = 0;    ///< greatest |E - E0 - work| over the samples, J
  double energy_drift_slope = 0;  ///< least-squares slope of E - E0 - work over the samples, J/s
};

/// Receives samples during the run, so that long runs need not keep them.
using ChartSampleSink = std::function<void(const ChartSample&)>;

/// Integrates a system in coordinates as `run` does a model. With a `sink`, which receives every sample, the
/// trajectory keeps only the first and the last. The method integrates the work along with the motion: the
/// work of all forces that are not -dU, and the work done where metric, potential and rows depend on time.
/// Throws std::invalid_argument when the options are not usable with the system.
ChartTrajectory run(const Chart& chart, const State& start, const SimulationOptions& options,
                    const std::vector<ChartEvent>& events = {}, const ChartSampleSink& sink = {});

}  // namespace torsor
