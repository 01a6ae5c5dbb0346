#include "constraint_law.hpp"
#include "torsor/model/joint_kind.hpp"

// A homokinetic joint.

namespace torsor::constraint {
namespace {

class ConstantVelocityRows final : public PreparedLaw {
 public:
  explicit ConstantVelocityRows(const JointFrames& frames) : frames_(frames) {}

  void put_rows(const Instant& now, const RowSink& out) const override {
    put_constant_velocity_rows(frames_, now.work, out);
  }

 private:
  JointFrames frames_;
};

}  // namespace

void check(const ConstantVelocityJoint& law, Check& at) {
  at.attitude(law.parent);
  at.attitude(law.child);
  at.two_bodies(law.parent, law.child);
  at.frame(law.X_PF, "the frame on the parent");
  at.frame(law.X_CM, "the frame on the child");
}

std::vector<Row> rows_of(const ConstantVelocityJoint&, const Mechanism&) {
  std::vector<Row> out =
      rows({position_name(0), position_name(1), position_name(2), "twist"}, Row::Kind::force, false);
  out.back().kind = Row::Kind::torque;
  return out;
}

Prepared prepare(const ConstantVelocityJoint& law, Builder& build) {
  Joint joint;
  joint.kind = JointKind::spherical;  // not read
  joint.parent = law.parent, joint.child = law.child, joint.X_PF = law.X_PF, joint.X_CM = law.X_CM;
  return std::make_unique<ConstantVelocityRows>(build.frames(joint));
}

}  // namespace torsor::constraint
