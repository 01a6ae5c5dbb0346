#pragma once

#include "constraint_laws.hpp"

namespace torsor {

/// All rows, prepared for evaluation: those of the joints, in the order of the mechanism, then those of its
/// constraints.
struct Constraints::Plan {
  struct JointItem {
    constraint::JointFrames frames;
    int item;
  };
  struct LawItem {
    constraint::Law law;
    int item;
  };
  std::vector<JointItem> joints;
  std::vector<LawItem> laws;
  std::vector<int> particle_blocks;  ///< blocks of particles: their angular columns are zero
  std::size_t numbers = 0;           ///< how many numbers all blocks hold
};

namespace constraint {

/// Finds the bodies and joints of one item and collects the links that it acts on, each once.
class Builder {
 public:
  Builder(const Model& model, Constraints::Item& item) : model_(model), item_(item) {}

  JointFrames frames(const Joint& joint);
  Law operator()(const Distance& law);
  Law operator()(const PointOnLine& law);
  Law operator()(const PointOnPlane& law);
  Law operator()(const PointDriver& law);
  Law operator()(const ConstantAngle& law);
  Law operator()(const ConstantVelocityJoint& law);
  Law operator()(const JointCoupling& law);
  Law operator()(const VelocityLaw& law);
  Law operator()(const Rolling& law);
  Law operator()(const UserConstraint& law);

 private:
  BodyRef body(int index);
  CouplingRow::Term term(int joint, int coordinate, double ratio);

  const Model& model_;
  Constraints::Item& item_;
};

/// The rows of a joint or a law: kind of multiplier, whether it is holonomic, whether it depends on time.
int row_count(const Joint& joint, const Mechanism& mechanism);
std::vector<Constraints::Row> rows_of(const Joint& joint, const Mechanism& mechanism);
std::vector<Constraints::Row> rows_of(const Constraint& constraint, const Mechanism& mechanism);

}  // namespace constraint
}  // namespace torsor
