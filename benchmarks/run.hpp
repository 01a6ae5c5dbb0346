#pragma once

#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/greatest.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace bench {

/// Integrates from the start to t_end. Without an observer, the run has no output times before t_end. Throws
/// the message of the run if the run fails.
inline torsor::RunSummary carry(const torsor::System& system, const torsor::State& start,
                                torsor::SimulationOptions options, double t_end,
                                const torsor::Observer& observer = {}) {
  options.t_end = t_end;
  if (!observer) options.output_step = t_end;
  torsor::RunSummary summary = simulate(system, start, options, observer);
  if (summary.status != torsor::StepStatus::reached_end) throw std::runtime_error(summary.message);
  return summary;
}

/// Mass centres in the order of the bodies.
inline std::vector<torsor::Vec3> mass_centres(const torsor::Model& model, const torsor::State& x) {
  torsor::Workspace<double> work(model);
  forward_kinematics(model, x.q, x.v, work);
  std::vector<torsor::Vec3> centres;
  for (int body = 0; body < model.size(); ++body) centres.push_back(work.p_WB[model.link_of_body[body]]);
  return centres;
}

/// Root mean square of the distances between two lists of mass centres.
inline double rms_distance(const std::vector<torsor::Vec3>& a, const std::vector<torsor::Vec3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]).squaredNorm();
  return std::sqrt(sum / static_cast<double>(a.size()));
}

/// The greatest change of energy, J, at the steps of a run.
class EnergyDrift {
 public:
  explicit EnergyDrift(const torsor::Model& model) : model_(model), forces_(model), work_(model) {}

  void look(double t, const torsor::State& x) {
    forward_kinematics(model_, x.q, x.v, work_);
    const double energy = kinetic_energy(model_, work_) + forces_.potential(t, x.q, x.v, work_);
    if (first_) start_ = energy, first_ = false;
    greatest_ = torsor::test::greatest(greatest_, energy - start_);
  }
  double greatest() const { return greatest_; }

 private:
  const torsor::Model& model_;
  torsor::Forces forces_;
  torsor::Workspace<double> work_;
  bool first_ = true;
  double start_ = 0, greatest_ = 0;
};

}  // namespace bench
