#pragma once

#include <memory>
#include <string>
#include <vector>

#include "torsor/report/chart_report.hpp"

namespace torsor {

namespace scene {
struct Formulas;
}

/// The contents of a scene in coordinates, without the options of its run.
struct ChartScene {
  std::vector<std::string> coordinates, quasi_velocities;  ///< names; quasi_velocities may be empty
  std::vector<std::string> constraints;                    ///< names, one per row, holonomic rows first
  ChartEquations equations = ChartEquations::coordinates;
  double time_metric = 1;  ///< J
  State start;             ///< satisfies the constraints
  std::shared_ptr<const scene::Formulas> formulas;

  ChartNames names() const;
};

}  // namespace torsor
