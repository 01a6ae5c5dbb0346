#pragma once

#include <functional>
#include <string>
#include <vector>

#include "torsor/model/time_function.hpp"
#include "torsor/sim/chart.hpp"

namespace torsor {

/// An event in a chart: a coordinate or a rate passes a value.
struct ChartEvent {
  std::string name;
  int coordinate = 0;
  bool of_rate = false;
  TimeFunction value = 0.;
  int direction = 0;  ///< as Event::direction
  bool stop = false;
};

/// Everything about one instant.
struct ChartSample {
  double t = 0;
  State x;
  Vec a;            ///< u'
  Vec quasi;        ///< quasi-velocities
  Vec multipliers;  ///< of all rows
  double kinetic = 0, potential = 0, work = 0;
  double position_residual = 0, velocity_residual = 0;
  /// Of the equations of motion and the rows together, relative to their greatest term.
  double acceleration_residual = 0;

  double energy() const { return kinetic + potential; }
};

/// A run: samples at the output times and how it went.
struct ChartTrajectory {
  std::vector<ChartSample> samples;
  ChartSample passed;  ///< the greatest residuals of samples that a sink took and that are not kept
  RunSummary summary;
  double energy_max_drift = 0;    ///< greatest |E - E0 - work| over the samples, J
  double energy_drift_slope = 0;  ///< least-squares slope of E - E0 - work over the samples, J/s
};

/// Takes samples as they come, so that long runs need not keep them.
using ChartSampleSink = std::function<void(const ChartSample&)>;

/// Integrates a chart as `run` does a model; with a `sink`, which is told every sample, the trajectory keeps
/// the first and the last alone. The work of all forces that are not -dU, and of what moves the metric, the
/// potential and the rows, is integrated along by the method. Throws std::invalid_argument when the options
/// are not usable with the chart.
ChartTrajectory run(const Chart& chart, const State& start, const SimulationOptions& options,
                    const std::vector<ChartEvent>& events = {}, const ChartSampleSink& sink = {});

}  // namespace torsor
