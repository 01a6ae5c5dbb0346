#include "joint_term.hpp"

// sum of velocities of points, angular velocities and joint rates = value; nonholonomic unless it integrates.

namespace torsor::constraint {
namespace {

using Quantity = VelocityLaw::Term::Quantity;

class VelocityRow final : public PreparedLaw {
 public:
  VelocityRow(const VelocityLaw& law, Builder& build) : value_(law.value) {
    for (const VelocityLaw::Term& each : law.terms) {
      if (each.quantity == Quantity::joint_rate) {
        rates_.push_back(joint_term(each.joint, each.coordinate, each.ratio, build));
        continue;
      }
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
  const auto wanted = value_.with_derivatives(now.t);
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

}  // namespace

void check(const VelocityLaw& law, Check& at) {
  at.require(!law.terms.empty(), "no velocity is named");
  for (const VelocityLaw::Term& term : law.terms) check_term(term, at);
  at.require(finite(law.value), "the value is not finite");
}

std::vector<Row> rows_of(const VelocityLaw& law, const Mechanism& mechanism) {
  SumKind sum;
  for (const auto& term : law.terms)
    sum.add(term.quantity == Quantity::angular_velocity ||
            (term.quantity == Quantity::joint_rate &&
             is_angle(mechanism.joints[term.joint].kind, term.coordinate)));
  return {{sum.kind(), false, moves(law.value), "velocities"}};
}

Prepared prepare(const VelocityLaw& law, Builder& build) { return std::make_unique<VelocityRow>(law, build); }

}  // namespace torsor::constraint
