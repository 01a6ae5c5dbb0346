#pragma once

#include "body_solver.hpp"
#include "torsor/system/tree_system.hpp"

namespace torsor::mechanics {

/// The nearest configurations and velocities, in the metric, that satisfy the constraint rows.
class Projection {
 public:
  Projection(const TreeSystem& tree, BodyEquations& bodies, StepperRows& rows, BodySolver& solver);

  /// As ConstrainedSystem::project_position and project_velocity.
  bool position(double t, VecOut q);
  void velocity(double t, VecIn q, VecOut v);
  /// The velocity nearest to v that satisfies the rows at (t, q). Not for closed loops: off the constraints
  /// their rows may lose rank, and then no velocity satisfies them.
  void nearest_velocity(double t, VecIn q, VecIn v, VecOut out);
  void begin_step() { place_ = -1; }

  /// out = A v + a0 at (t, q), over the m rows.
  void velocity_residual(double t, VecIn q, VecIn v, VecOut out);

 private:
  void velocity_residual(VecIn v, VecOut out);
  void correct(double size);
  void set_right_sides();

  const TreeSystem& tree_;
  BodyEquations& bodies_;
  StepperRows& rows_;
  BodySolver& solver_;
  Vec residual_;  ///< over the m rows
  Vec xi_;        ///< the last correction, in the velocities of the tree
  Vec q_next_, W_, V_, s_, y_;
  Vec v_given_, v_met_;  ///< argument and result of the last `nearest_velocity`
  long place_ = -1;      ///< of `bodies_` in that call; -1: none in this step
};

}  // namespace torsor::mechanics
