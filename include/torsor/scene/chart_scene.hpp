#pragma once

#include <memory>
#include <string>
#include <vector>

#include "torsor/sim/chart_report.hpp"
#include "torsor/sim/chart_trajectory.hpp"

namespace torsor {

namespace scene {
struct Formulas;
}

/// What a scene in coordinates says besides how it is run.
struct ChartScene {
  std::vector<std::string> coordinates, quasi_velocities;  ///< names; the latter may be none
  std::vector<std::string> constraints;                    ///< one a row, those of positions first
  ChartEquations equations = ChartEquations::coordinates;
  double time_metric = 1;  ///< J
  State start;             ///< meets the constraints
  std::vector<ChartEvent> events;
  std::shared_ptr<const scene::Formulas> formulas;

  ChartNames names() const;
};

}  // namespace torsor
