#include <cmath>
#include <numbers>

#include "constraint_kind.hpp"
#include "torsor/lie/status.hpp"

// The angle between two directions.

namespace torsor::constraint {
namespace {

class AngleRow final : public PreparedLaw {
 public:
  AngleRow(const ConstantAngle& law, Builder& build)
      : a_(build.body(law.body_a)),
        b_(build.body(law.body_b)),
        u_a_(unit(law.u_a)),
        u_b_(unit(law.u_b)),
        angle_(law.angle) {}

  void put_rows(const Instant& now, const RowSink& out) const override;

 private:
  BodyRef a_, b_;
  Vector3 u_a_, u_b_;
  TimeFunction angle_;
};

/// The angle between u_a and u_b. Its rate is n . (w_b - w_a), where n is the unit vector along u_a x u_b.
void AngleRow::put_rows(const Instant& now, const RowSink& out) const {
  const BodyAt a = body_at(a_, now.work), b = body_at(b_, now.work);
  const Vector3 u_a = a.R * u_a_, u_b = b.R * u_b_;
  const Vector3 normal = cross(u_a, u_b);
  const double sine = norm(normal);
  if (sine == 0) throw EvaluationError(StepStatus::singular, "the two directions are parallel");
  const Vector3 n = (1 / sine) * normal;
  const Vector3 normal_rate = cross(cross(a.w, u_a), u_b) + cross(u_a, cross(b.w, u_b));
  const Vector3 n_rate = (1 / sine) * (normal_rate - dot(n, normal_rate) * n);
  const auto wanted = angle_.with_derivatives(now.t);
  PairRow row =
      turning(arctan2(sine, dot(u_a, u_b)) - wanted.value, dot(n_rate, b.w - a.w) - wanted.acceleration, n);
  row.a0 = -wanted.rate;
  put(out, 0, a_, b_, row);
}

class ConstantAngleKind final : public ConstraintKind<ConstantAngle> {
 public:
  bool reads(std::string_view kind) const override { return kind == "constant-angle"; }
  ConstantAngle read(const LawTable& table) const override {
    const auto a = table.inner("from"), b = table.inner("to");
    return {a->body("body"), b->body("body"), a->direction("direction"), b->direction("direction"),
            table.time_function("angle")};
  }

  void check(const ConstantAngle& law, Check& at) const override {
    at.attitude(law.body_a);
    at.attitude(law.body_b);
    at.two_bodies(law.body_a, law.body_b);
    at.direction(law.u_a, "the first direction");
    at.direction(law.u_b, "the second direction");
    at.of_time(law.angle, "the angle");
    if (law.angle.is_constant() && std::isfinite(law.angle(0)))
      at.require(law.angle(0) > 0 && law.angle(0) < std::numbers::pi,
                 "the angle is not inside (0, pi); parallel directions need two rows, such as two "
                 "constraints of this kind with the angle pi / 2");
  }

  std::vector<Row> rows_of(const ConstantAngle& law, const Mechanism&) const override {
    return rows({"angle"}, Row::Kind::torque, moves(law.angle));
  }

  Prepared prepare(const ConstantAngle& law, Builder& build) const override {
    return std::make_unique<AngleRow>(law, build);
  }

  void draw(const ConstantAngle& law, const Mechanism&, LawDrawing& out) const override {
    out.mark("direction", law.body_a, {frame_along(law.u_a), Vec3::Zero()});
    out.mark("direction", law.body_b, {frame_along(law.u_b), Vec3::Zero()});
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<ConstantAngle>& ConstantAngle::kind() {
  static constexpr constraint::ConstantAngleKind kind;
  return kind;
}

}  // namespace torsor
