#include "joint_term.hpp"
#include "model/forces/feedback.hpp"

// A weighted sum of velocities of points, angular velocities and joint rates has a given value. The
// constraint is nonholonomic unless this equation is integrable.

namespace torsor::constraint {
namespace {

using Quantity = VelocityLaw::Term::Quantity;

class VelocityRow final : public PreparedLaw {
 public:
  VelocityRow(const VelocityLaw& law, Builder& build) : value_(law.value) {
    const auto& joints = build.model().mechanism().joints;
    for (const VelocityLaw::Term& each : law.terms) {
      if (each.quantity == Quantity::joint_rate) {
        rates_.push_back(joint_term(each.joint, each.coordinate, each.ratio, build));
        build.add_factor(each.ratio, is_angle(joints[each.joint].kind, each.coordinate));
        continue;
      }
      build.add_factor(each.c.norm(), each.quantity == Quantity::angular_velocity);
      bodies_.push_back(build.body(each.point.body));
      points_.push_back({Vector3(each.point.p), Vector3(each.c), each.quantity == Quantity::angular_velocity,
                         each.body_axes});
    }
  }

  void put_rows(const Instant& now, const RowSink& out) const override;

 private:
  struct Point {
    Vector3 p, c;
    bool angular, body_axes;
  };
  std::vector<BodyRef> bodies_;  ///< of `points_`
  std::vector<Point> points_;
  std::vector<JointTerm> rates_;
  TimeFunction value_;
};

void VelocityRow::put_rows(const Instant& now, const RowSink& out) const {
  clear_row(out, rates_, bodies_);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto& [p, c, angular, body_axes] = points_[k];
    const BodyAt at = body_at(bodies_[k], now.work);
    const Vector3 c_W = body_axes ? at.R * c : c;
    if (angular) {  // c fixed in the body: c' . w = (w x c) . w = 0
      out.add(bodies_[k], 0, 1, {}, c_W);
      continue;
    }
    const PointAt point = point_at(at, p);
    out.add(bodies_[k], 0, 1, c_W, cross(point.arm, c_W));
    out.gamma[0] += dot(c_W, point.a) + (body_axes ? dot(cross(at.w, c_W), point.v) : 0);
  }
  for (const JointTerm& term : rates_) add_coordinate(term, now, out);
  const TimeFunction::Value wanted =
      now.values.feedback ? now.values.feedback->with_rate(value_, now.t, now.q, now.v, now.work)
                          : value_.with_derivatives(now.t);
  out.a0[0] = -wanted.value;
  out.gamma[0] -= wanted.rate;
}

void check_term(const VelocityLaw::Term& term, Check& at) {
  if (term.quantity == Quantity::joint_rate) return at.coordinate(term.joint, term.coordinate, term.ratio);
  at.direction(term.c, "a direction");
  at.require(term.point.body != world, "the ground does not move");
  if (term.quantity == Quantity::angular_velocity) return at.attitude(term.point.body);
  at.body(term.point.body);
  at.require(term.point.p.allFinite(), "a point is not finite");
  at.on_particle(term.point.body, term.point.p.isZero(0));
}

VelocityLaw::Term read_term(const LawTable& table, std::string_view& unit) {
  VelocityLaw::Term term;
  const std::string kind = table.text("kind");
  term.ratio = nonzero(table, "ratio");
  if (kind == "joint-rate") {
    term.quantity = Quantity::joint_rate;
    const auto named = table.coordinate("joint", "coordinate", true).value_or(NamedCoordinate());
    term.joint = named.joint, term.coordinate = named.coordinate;
    unit = named.unit == "m" ? "m/s" : "rad/s";
    return term;
  }
  const bool angular = kind == "angular-velocity";
  term.quantity = angular ? Quantity::angular_velocity : Quantity::point_velocity;
  term.point.body = table.body("body");
  if (!angular) term.point.p = table.vec3("position").value_or(Vec3::Zero());
  term.c = term.ratio * table.direction("direction");
  term.ratio = 1;
  term.body_axes = table.text("axes") == "body";
  unit = angular ? "rad/s" : "m/s";
  return term;
}

VelocityLaw read_velocity(const LawTable& table) {
  VelocityLaw law;
  std::string_view unit = "m/s";
  for (const auto& term : table.elements("term")) {
    std::string_view its_unit;
    law.terms.push_back(read_term(*term, its_unit));
    if (law.terms.size() == 1) unit = its_unit;
  }
  law.value = table.time_function("value", unit);
  return law;
}

VelocityLaw read_knife_edge(const LawTable& table) {
  VelocityLaw::Term term;
  term.point = {table.body("body"), table.vec3("position").value_or(Vec3::Zero())};
  term.c = table.direction("normal");
  return {{term}, 0.};
}

VelocityLaw read_spin(const LawTable& table) {
  VelocityLaw::Term term;
  term.quantity = Quantity::angular_velocity;
  term.point.body = table.body("body");
  term.c = table.direction("direction");
  term.body_axes = table.text("axes") == "body";
  return {{term}, table.time_function("value")};
}

class VelocityLawKind final : public ConstraintKind<VelocityLaw> {
 public:
  bool reads(std::string_view kind) const override {
    return kind == "velocity" || kind == "knife-edge" || kind == "spin";
  }
  VelocityLaw read(const LawTable& table) const override {
    const std::string kind = table.text("kind");
    if (kind == "knife-edge") return read_knife_edge(table);
    return kind == "spin" ? read_spin(table) : read_velocity(table);
  }

  void check(const VelocityLaw& law, Check& at) const override {
    at.require(!law.terms.empty(), "no velocity is named");
    for (const VelocityLaw::Term& term : law.terms) check_term(term, at);
    at.require(finite(law.value), "the value is not finite");
  }

  std::vector<Row> rows_of(const VelocityLaw& law, const Mechanism& mechanism) const override {
    SumKind sum;
    for (const auto& term : law.terms)
      sum.add(term.quantity == Quantity::angular_velocity ||
              (term.quantity == Quantity::joint_rate &&
               is_angle(mechanism.joints[term.joint].kind, term.coordinate)));
    const bool drives = moves(law.value) || law.value(0) != 0;
    return {{sum.kind(), false, law.value.depends_on_time(), "velocities", drives}};
  }

  Prepared prepare(const VelocityLaw& law, Builder& build) const override {
    return std::make_unique<VelocityRow>(law, build);
  }

  bool resists_rigid_motion() const override { return true; }

  void draw(const VelocityLaw& law, const Mechanism& mechanism, LawDrawing& out) const override {
    for (const VelocityLaw::Term& term : law.terms) {
      const bool point = term.quantity == Quantity::point_velocity;
      if (term.quantity == Quantity::joint_rate)
        mark_coordinate(mechanism, term.joint, term.coordinate, law.terms.size() == 1, out);
      else if (!term.body_axes)
        out.mark("point", term.point.body, {SO3<>::identity(), term.point.p});
      else if (point)
        out.mark("blade", term.point.body, {frame_along(term.c), term.point.p});
      else
        out.mark("turn", term.point.body, {frame_along(term.c), Vec3::Zero()});
      if (point) out.hold(term.point.body, term.point.p);
    }
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<VelocityLaw>& VelocityLaw::kind() {
  static constexpr constraint::VelocityLawKind kind;
  return kind;
}

}  // namespace torsor
