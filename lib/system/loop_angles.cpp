#include "loop_angles.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/declared_joint.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {

LoopAngles::LoopAngles(const Model& model, Workspace<double>& work) : model_(model), work_(work) {
  for (std::size_t j = 0; j < model.link_of_joint.size(); ++j)
    if (model.link_of_joint[j] < 0)
      if (auto counted = counted_coordinates(model.mechanism().joints[j]); !counted.empty())
        joints_.push_back({static_cast<int>(j), std::move(counted)});
}

void LoopAngles::begin_run() const {
  for (const Joint& joint : joints_)
    work_.last_angle[joint.index] = model_.mechanism().joints[joint.index].angles_near;
  pass_on();
}

double LoopAngles::rate(VecIn q, VecIn v) const {
  const auto rates = v.head(model_.nv());
  forward_kinematics(model_, q, rates, work_);
  double greatest = 0;
  for (const Joint& joint : joints_) {
    const DeclaredMotion motion = declared_motion(model_, joint.index, q, rates, work_);
    for (const int k : joint.counted) greatest = std::max(greatest, std::abs(motion.v[k]));
  }
  return greatest;
}

double LoopAngles::follow(VecIn q, VecIn v) const {
  const double greatest = rate(q, v);
  for (const Joint& joint : joints_) {
    const DeclaredMotion motion = declared_motion(model_, joint.index, q, v.head(model_.nv()), work_);
    for (std::size_t i = 0; i < joint.counted.size(); ++i)
      work_.last_angle[joint.index][i] = motion.q[joint.counted[i]];
  }
  pass_on();
  return greatest;
}

void LoopAngles::share(const Workspace<double>& other) const {
  others_.push_back(&other);
  pass_on();
}

void LoopAngles::lead(const LoopAngles& other) const {
  led_.push_back(&other);
  pass_on();
}

void LoopAngles::pass_on() const {
  for (const Workspace<double>* other : others_) other->last_angle = work_.last_angle;
  for (const LoopAngles* other : led_) other->work_.last_angle = work_.last_angle, other->pass_on();
}

}  // namespace torsor::mechanics
