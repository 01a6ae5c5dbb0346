#pragma once

#include <string>

#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {

/// Watches the positions of constraint rows as functions of t alone. A position must not jump, as an angle by
/// atan2 can from pi to -pi: no velocity follows a jump, and a projection may take the motion to the other
/// side of the jump.
class PositionJumps {
 public:
  explicit PositionJumps(const System& system);

  /// Whether a position jumps between t and t + h, h > 0, at the configuration of x. `why` then gives the
  /// reason, and `part` the joint or constraint.
  bool jumps(double t, const State& x, double h, std::string& why, Part& part);

 private:
  /// phi and a0 at one time.
  struct Rows {
    double t = 0;
    Vec phi, a0;
  };
  void evaluate(double t, Rows& rows);
  void evaluate_between();
  int worst(const Rows& begin, const Rows& end, double& missed) const;

  const System& system_;
  const ConstrainedSystem* constrained_;  ///< the same system if it has constraints
  bool watches_;                          ///< whether rows may depend on t
  Vec q_, at_rest_;
  Rows begin_, middle_, end_;
};

}  // namespace torsor::mechanics
