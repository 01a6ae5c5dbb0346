#include "constraint_kind.hpp"
#include "torsor/model/joint_kind.hpp"

// The homokinetic (constant-velocity) joint.

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

class ConstantVelocityJointKind final : public ConstraintKind<ConstantVelocityJoint> {
 public:
  bool reads(std::string_view kind) const override { return kind == "constant-velocity"; }
  ConstantVelocityJoint read(const LawTable& table) const override {
    const Joint frames = table.frames();
    return {table.body("parent"), table.body("child"), frames.X_PF, frames.X_CM};
  }

  void check(const ConstantVelocityJoint& law, Check& at) const override {
    at.attitude(law.parent);
    at.attitude(law.child);
    at.two_bodies(law.parent, law.child);
    at.frame(law.X_PF, "the frame on the parent");
    at.frame(law.X_CM, "the frame on the child");
  }

  std::vector<Row> rows_of(const ConstantVelocityJoint&, const Mechanism&) const override {
    std::vector<Row> out =
        rows({position_name(0), position_name(1), position_name(2), "twist"}, Row::Kind::force, false);
    out.back().kind = Row::Kind::torque;
    return out;
  }

  Prepared prepare(const ConstantVelocityJoint& law, Builder& build) const override {
    Joint joint;
    joint.kind = JointKind::spherical;  // not read
    joint.parent = law.parent, joint.child = law.child, joint.X_PF = law.X_PF, joint.X_CM = law.X_CM;
    const JointFrames frames = build.frames(joint);
    build.name_first(frames.P);
    return std::make_unique<ConstantVelocityRows>(frames);
  }

  void draw(const ConstantVelocityJoint& law, const Mechanism&, LawDrawing& out) const override {
    out.mark("constant-velocity", law.child, law.X_CM);
    if (law.parent == world) out.marks.back().ground = law.X_PF;
    out.hold(law.parent, law.X_PF.p);
    out.hold(law.child, law.X_CM.p);
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<ConstantVelocityJoint>& ConstantVelocityJoint::kind() {
  static constexpr constraint::ConstantVelocityJointKind kind;
  return kind;
}

}  // namespace torsor
