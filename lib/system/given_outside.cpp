#include "given_outside.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "text.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {
namespace {

/// Whether the stored coordinates of a joint are independent: as many numbers as its rates.
bool independent(JointKind kind) { return coordinate_count(kind) == freedom_count(kind); }

}  // namespace

GivenOutside::GivenOutside(const Model& tree, const Start& start) : tree_(tree), work_(tree) {
  for (std::size_t j = 0; j < start.joints.size(); ++j) {
    const JointKind kind = tree.mechanism().joints[j].kind;
    if (tree.link_of_joint[j] >= 0 || !independent(kind)) continue;
    for (int k = 0; k < freedom_count(kind); ++k) {
      if (start.joints[j].q) coordinates_.push_back({static_cast<int>(j), k, (*start.joints[j].q)[k]});
      if (start.joints[j].v) rates_.push_back({static_cast<int>(j), k, (*start.joints[j].v)[k]});
    }
  }
}

Vec GivenOutside::coordinate_residual(const Vec& q) const {
  Vec out(static_cast<Eigen::Index>(coordinates_.size()));
  const Vec rest = Vec::Zero(tree_.nv());
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const auto& [joint, place, value] = coordinates_[static_cast<std::size_t>(i)];
    out[i] = motion(joint, q, rest).q[place] - value;
    if (counts_turns(tree_.mechanism().joints[joint], place))
      out[i] = std::remainder(out[i], 2 * std::numbers::pi);
  }
  return out;
}

Vec GivenOutside::rate_residual(const Vec& q, const Vec& v) const {
  Vec out = rates_of(rates_, q, v);
  for (Eigen::Index i = 0; i < out.size(); ++i) out[i] -= rates_[static_cast<std::size_t>(i)].value;
  return out;
}

DeclaredMotion GivenOutside::motion(int joint, const Vec& q, const Vec& v) const {
  forward_kinematics(tree_, q, v, work_);
  return declared_motion(tree_, joint, q, v, work_);
}

Vec GivenOutside::rates_of(const std::vector<Given>& given, const Vec& q, const Vec& v) const {
  Vec out(static_cast<Eigen::Index>(given.size()));
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const auto& [joint, place, value] = given[static_cast<std::size_t>(i)];
    out[i] = motion(joint, q, v).v[place];
  }
  return out;
}

void GivenOutside::check(const State& x) const {
  constexpr double tolerance = 1e-6;
  Reasons reasons;
  const auto compare = [&](const std::vector<Given>& given, const Vec& misses, const char* what) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double miss = misses[static_cast<Eigen::Index>(i)], found = given[i].value + miss;
      if (std::abs(miss) <= tolerance * std::max(1., std::abs(found))) continue;
      reasons.push_back({joint_part(given[i].joint),
                         {},
                         "joint \"" + tree_.mechanism().joints[given[i].joint].name + "\": its " + what +
                             " is given as " + text(given[i].value) + " but is " + text(found) +
                             " in the loop that the joint closes"});
    }
  };
  compare(coordinates_, coordinate_residual(x.q), "coordinate");
  compare(rates_, rate_residual(x.q, x.v), "rate");
  if (!reasons.empty()) throw StartError(std::move(reasons));
}

}  // namespace torsor::mechanics
