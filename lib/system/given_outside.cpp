#include "given_outside.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "text.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {

GivenOutside::GivenOutside(const Model& tree, const Start& start) : tree_(tree), work_(tree) {
  for (std::size_t j = 0; j < start.joints.size(); ++j) {
    if (tree.link_of_joint[j] >= 0) continue;
    const auto& [q, v] = start.joints[j];
    const int joint = static_cast<int>(j);
    const bool quaternion = joint_type(tree.mechanism().joints[j].kind).quaternion;
    for (int k = 0; q && k < q->size() - (quaternion ? 4 : 0); ++k)
      coordinates_.push_back({joint, k, (*q)[k]});
    if (q && quaternion) attitudes_.push_back({joint, SO3<>::from(q->data() + q->size() - 4).normalized()});
    for (int k = 0; v && k < v->size(); ++k) rates_.push_back({joint, k, (*v)[k]});
  }
}

Vec GivenOutside::coordinate_residual(const Vec& q) const {
  Vec out(static_cast<Eigen::Index>(coordinates_.size() + 3 * attitudes_.size()));
  const Vec rest = Vec::Zero(tree_.nv());
  place(q, rest);
  Eigen::Index i = 0;
  for (const auto& [joint, place, value] : coordinates_) {
    out[i] = declared_motion(tree_, joint, q, rest, work_).q[place] - value;
    if (counts_turns(tree_.mechanism().joints[joint], place))
      out[i] = std::remainder(out[i], 2 * std::numbers::pi);
    ++i;
  }
  for (const GivenAttitude& given : attitudes_) out.segment<3>(i) = turn(given, q), i += 3;
  return out;
}

Vec GivenOutside::rate_residual(const Vec& q, const Vec& v) const {
  Vec out = rate_rates(q, v);
  for (Eigen::Index i = 0; i < out.size(); ++i) out[i] -= rates_[static_cast<std::size_t>(i)].value;
  return out;
}

Vec GivenOutside::coordinate_rates(const Vec& q, const Vec& v) const {
  place(q, v);
  Vec out(static_cast<Eigen::Index>(coordinates_.size() + 3 * attitudes_.size()));
  Eigen::Index i = 0;
  for (const auto& [joint, place, value] : coordinates_) {
    const DeclaredMotion at = declared_motion(tree_, joint, q, v, work_);
    const Joint& declared = tree_.mechanism().joints[joint];
    const bool in_M = declared.kind == JointKind::free &&
                      declared_group(tree_.mechanism(), declared) == GroupProduct::semidirect;
    out[i++] = in_M ? (attitude(joint, at) * Vec3(at.v.data()))[place] : at.v[place];
  }
  for (const GivenAttitude& given : attitudes_) {
    const DeclaredMotion at = declared_motion(tree_, given.joint, q, v, work_);
    const Vec3 Omega(at.v.data() + freedom_count(tree_.mechanism().joints[given.joint].kind) - 3);
    out.segment<3>(i) = SO3<>::dexp_inv(turn(given, q), Omega), i += 3;
  }
  return out;
}

Vec GivenOutside::rate_rates(const Vec& q, const Vec& v) const {
  place(q, v);
  Vec out(static_cast<Eigen::Index>(rates_.size()));
  Eigen::Index i = 0;
  for (const auto& [joint, place, value] : rates_)
    out[i++] = declared_motion(tree_, joint, q, v, work_).v[place];
  return out;
}

linear::Sparse GivenOutside::coordinate_rows(const Vec& q) const {
  std::vector<RowsOfLinks> rows;
  for (const Given& given : coordinates_) rows.push_back(rows_of(given.joint, 1));
  for (const GivenAttitude& given : attitudes_) rows.push_back(rows_of(given.joint, 3));
  return sparse_rows(tree_, rows, [&](const Vec& v) { return coordinate_rates(q, v); });
}

linear::Sparse GivenOutside::rate_rows(const Vec& q) const {
  std::vector<RowsOfLinks> rows;
  for (const Given& given : rates_) rows.push_back(rows_of(given.joint, 1));
  return sparse_rows(tree_, rows, [&](const Vec& v) { return rate_rates(q, v); });
}

RowsOfLinks GivenOutside::rows_of(int joint, int count) const {
  RowsOfLinks rows{count, {}};
  const Joint& declared = tree_.mechanism().joints[joint];
  for (const int body : {declared.parent, declared.child})
    if (body != world) rows.links.push_back(tree_.link_of_body[body]);
  return rows;
}

void GivenOutside::place(const Vec& q, const Vec& v) const {
  if (any()) forward_kinematics(tree_, q, v, work_);
}

SO3<> GivenOutside::attitude(int joint, const DeclaredMotion& at) const {
  return SO3<>::from(at.q.data() + coordinate_count(tree_.mechanism().joints[joint].kind) - 4);
}

Vec3 GivenOutside::turn(const GivenAttitude& given, const Vec& q) const {
  const DeclaredMotion at = declared_motion(tree_, given.joint, q, Vec::Zero(tree_.nv()), work_);
  return (given.R.inverse() * attitude(given.joint, at)).log();
}

void GivenOutside::check(const State& x) const {
  constexpr double tolerance = 1e-6;
  Reasons reasons;
  const auto name = [&](int joint) { return "joint \"" + tree_.mechanism().joints[joint].name + "\": its "; };
  const auto compare = [&](const std::vector<Given>& given, const Vec& misses, const char* what) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double miss = misses[static_cast<Eigen::Index>(i)], found = given[i].value + miss;
      if (std::abs(miss) <= tolerance * std::max(1., std::abs(found))) continue;
      reasons.push_back({joint_part(given[i].joint),
                         {},
                         name(given[i].joint) + what + " is given as " + text(given[i].value) + " but is " +
                             text(found) + " in the loop that the joint closes"});
    }
  };
  compare(coordinates_, coordinate_residual(x.q), "coordinate");
  for (const GivenAttitude& given : attitudes_)
    if (const double miss = turn(given, x.q).norm(); !(miss <= tolerance))
      reasons.push_back({joint_part(given.joint),
                         {},
                         name(given.joint) + "attitude differs by " + brief(miss) +
                             " rad from the given one in the loop that the joint closes"});
  compare(rates_, rate_residual(x.q, x.v), "rate");
  if (!reasons.empty()) throw StartError(std::move(reasons));
}

}  // namespace torsor::mechanics
