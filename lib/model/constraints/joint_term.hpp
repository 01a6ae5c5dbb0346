#pragma once

#include "constraint_kind.hpp"

namespace torsor::constraint {

/// One term, ratio * q or ratio * q', of a sum over joint coordinates.
struct JointTerm {
  JointFrames frames;
  int coordinate;
  double ratio;
  int joint;
  bool free_turns;  ///< whether q is an angle, without full turns, of a joint outside the tree
};

JointTerm joint_term(int joint, int coordinate, double ratio, Builder& build);

/// Sets the only row of a sum over these terms and bodies to zero.
void clear_row(const RowSink& out, const std::vector<JointTerm>& terms,
               const std::vector<BodyRef>& bodies = {});
/// Adds the blocks and gamma of the coordinate's row, times the ratio; does not add phi.
void add_coordinate(const JointTerm& term, const Instant& now, const RowSink& out);

/// The kind of the row of a sum of terms. The multiplier acts on each term as a force or as a torque.
class SumKind {
 public:
  void add(bool torque) { (torque ? torques_ : forces_) = true; }
  Row::Kind kind() const {
    return forces_ && torques_ ? Row::Kind::mixed : torques_ ? Row::Kind::torque : Row::Kind::force;
  }

 private:
  bool forces_ = false, torques_ = false;
};

}  // namespace torsor::constraint
