#pragma once

#include <vector>

#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {

/// Treatment `minimal`: the dependent velocities v_d follow from the independent velocities v_i by
/// A_d v_d = -(A_i v_i + a0). Dense, for small systems.
class MinimalVelocities {
 public:
  /// Forgets the dependent velocities of earlier runs.
  void begin_run() { dependent_.clear(); }
  /// Keeps the dependent velocities of the last step, unless the rank of A has changed or the volume of their
  /// columns A_d is below half of that of the best choice.
  void begin_step(const ConstrainedSystem& system, double t, VecIn q);
  /// v with the dependent velocities that follow from the others. `out` may be v.
  void velocity(const ConstrainedSystem& system, double t, VecIn q, VecIn v, VecOut out);

 private:
  std::vector<int> dependent_;
};

}  // namespace torsor::mechanics
