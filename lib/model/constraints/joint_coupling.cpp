#include <cmath>
#include <numbers>

#include "joint_term.hpp"
#include "model/declared_joint.hpp"

// sum ratio_k q_k = value over joint coordinates.

namespace torsor::constraint {
namespace {

class CouplingRow final : public PreparedLaw {
 public:
  CouplingRow(const JointCoupling& law, Builder& build) : value_(law.value) {
    for (const auto& [joint, coordinate, ratio] : law.terms)
      terms_.push_back(joint_term(joint, coordinate, ratio, build));
  }

  void put_rows(const Instant& now, const RowSink& out) const override;

 private:
  std::vector<JointTerm> terms_;
  TimeFunction value_;
};

/// The coordinate, with full turns counted.
double coordinate(const JointTerm& term, const Instant& now) {
  return declared_motion(now.model, term.joint, now.q, now.v, now.work).q[term.coordinate];
}

double nearest_turn(double angle, double to) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((to - angle) / turn);
}

void CouplingRow::put_rows(const Instant& now, const RowSink& out) const {
  clear_row(out, terms_);
  const auto wanted = value_.with_derivatives(now.t);
  for (const JointTerm& term : terms_) {
    add_coordinate(term, now, out);
    out.phi[0] += term.ratio * coordinate(term, now);
  }
  if (terms_.size() == 1 && terms_[0].free_turns) {
    const double ratio = terms_[0].ratio;
    out.phi[0] = ratio * nearest_turn(out.phi[0] / ratio, wanted.value / ratio);
  }
  out.phi[0] -= wanted.value;
  out.a0[0] = -wanted.rate;
  out.gamma[0] -= wanted.acceleration;
}

}  // namespace

void check(const JointCoupling& law, Check& at) {
  at.require(!law.terms.empty(), "no joint coordinate is named");
  for (const auto& term : law.terms) at.coordinate(term.joint, term.coordinate, term.ratio);
  at.require(finite(law.value), "the value is not finite");
}

std::vector<Row> rows_of(const JointCoupling& law, const Mechanism& mechanism) {
  SumKind sum;
  for (const auto& term : law.terms) sum.add(is_angle(mechanism.joints[term.joint].kind, term.coordinate));
  return rows({"coordinates"}, sum.kind(), moves(law.value));
}

Prepared prepare(const JointCoupling& law, Builder& build) {
  return std::make_unique<CouplingRow>(law, build);
}

}  // namespace torsor::constraint
