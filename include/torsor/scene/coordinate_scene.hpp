#pragma once

#include <memory>
#include <string>
#include <vector>

#include "torsor/report/coordinate_report.hpp"

namespace torsor {

namespace scene {
struct Formulas;
}

/// The contents of a scene in coordinates, without the options of its run.
struct CoordinateScene {
  std::vector<std::string> coordinates, quasi_velocities;  ///< names; quasi_velocities may be empty
  std::vector<std::string> constraints;                    ///< names, one per row, holonomic rows first
  CoordinateEquations equations = CoordinateEquations::coordinates;
  double time_metric = 1;  ///< J
  State start;             ///< satisfies the constraints
  std::shared_ptr<const scene::Formulas> formulas;

  CoordinateNames names() const;
};

}  // namespace torsor
