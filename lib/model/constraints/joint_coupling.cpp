#include <cmath>
#include <numbers>

#include "joint_term.hpp"
#include "model/declared_joint.hpp"

// The sum of ratio_k q_k over joint coordinates q_k has a given value.

namespace torsor::constraint {
namespace {

class CouplingRow final : public PreparedLaw {
 public:
  CouplingRow(const JointCoupling& law, Builder& build) : value_(law.value) {
    const auto& joints = build.model().mechanism().joints;
    for (const auto& [joint, coordinate, ratio] : law.terms) {
      terms_.push_back(joint_term(joint, coordinate, ratio, build));
      build.add_factor(ratio, is_angle(joints[joint].kind, coordinate));
    }
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

JointCoupling read_coupling(const LawTable& table) {
  JointCoupling law;
  std::string_view unit = "m";
  for (const auto& term : table.elements("term")) {
    const auto named = term->coordinate("joint", "coordinate", false).value_or(NamedCoordinate());
    if (law.terms.empty()) unit = named.unit;
    law.terms.push_back({named.joint, named.coordinate, nonzero(*term, "ratio")});
  }
  law.value = table.time_function("value", unit);
  return law;
}

JointCoupling read_driver(const LawTable& table) {
  const auto named = table.coordinate("joint", "coordinate", false).value_or(NamedCoordinate());
  return {{{named.joint, named.coordinate, 1}}, table.time_function("value", named.unit)};
}

/// The law follower - by * leader = offset. Checks that the two coordinates have the given units; an empty
/// unit is not checked.
JointCoupling coupled(const LawTable& table, const std::string& leader, const std::string& follower,
                      double by, std::string_view leader_unit, std::string_view follower_unit) {
  const auto a = table.coordinate(leader, leader + "_coordinate", false);
  const auto b = table.coordinate(follower, follower + "_coordinate", false);
  const auto check = [&](const std::string& key, const auto& found, std::string_view unit) {
    if (found && !unit.empty() && found->unit != unit)
      table.error(key, table.where() + ": joint \"" + table.text(key) + "\" does not " +
                           (unit == "m" ? "slide" : "turn") + " in that coordinate");
  };
  check(leader, a, leader_unit);
  check(follower, b, follower_unit);
  const NamedCoordinate at_a = a.value_or(NamedCoordinate()), at_b = b.value_or(NamedCoordinate());
  return {{{at_b.joint, at_b.coordinate, 1}, {at_a.joint, at_a.coordinate, -by}},
          table.time_function("offset", at_b.unit)};
}

class JointCouplingKind final : public ConstraintKind<JointCoupling> {
 public:
  bool reads(std::string_view kind) const override {
    return kind == "coupling" || kind == "driver" || kind == "gear" || kind == "rack-and-pinion";
  }
  JointCoupling read(const LawTable& table) const override {
    const std::string kind = table.text("kind");
    if (kind == "coupling") return read_coupling(table);
    if (kind == "driver") return read_driver(table);
    if (kind == "gear") return coupled(table, "leader", "follower", nonzero(table, "ratio"), "", "");
    return coupled(table, "pinion", "rack", nonzero(table, "radius"), "rad", "m");
  }

  void check(const JointCoupling& law, Check& at) const override {
    at.require(!law.terms.empty(), "no joint coordinate is named");
    for (const auto& term : law.terms) at.coordinate(term.joint, term.coordinate, term.ratio);
    at.of_time(law.value, "the value");
  }

  std::vector<Row> rows_of(const JointCoupling& law, const Mechanism& mechanism) const override {
    SumKind sum;
    for (const auto& term : law.terms) sum.add(is_angle(mechanism.joints[term.joint].kind, term.coordinate));
    return rows({"coordinates"}, sum.kind(), moves(law.value));
  }

  Prepared prepare(const JointCoupling& law, Builder& build) const override {
    return std::make_unique<CouplingRow>(law, build);
  }

  void draw(const JointCoupling& law, const Mechanism& mechanism, LawDrawing& out) const override {
    const bool driven = law.terms.size() == 1;
    for (const auto& term : law.terms) mark_coordinate(mechanism, term.joint, term.coordinate, driven, out);
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<JointCoupling>& JointCoupling::kind() {
  static constexpr constraint::JointCouplingKind kind;
  return kind;
}

}  // namespace torsor
