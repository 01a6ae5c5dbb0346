#pragma once

#include "torsor/model/detail/joints/cylindrical.hpp"
#include "torsor/model/detail/joints/fixed.hpp"
#include "torsor/model/detail/joints/free.hpp"
#include "torsor/model/detail/joints/helical.hpp"
#include "torsor/model/detail/joints/planar.hpp"
#include "torsor/model/detail/joints/prismatic.hpp"
#include "torsor/model/detail/joints/revolute.hpp"
#include "torsor/model/detail/joints/spherical.hpp"
#include "torsor/model/detail/joints/translation.hpp"
#include "torsor/model/detail/joints/universal.hpp"

namespace torsor {

/// The degrees of freedom of a joint: the motion of the child's joint frame M in the parent's joint frame F.
/// Each kind is defined in detail/joints/<kind>.hpp, with its coordinates q and rates v.
enum class JointKind {
  fixed,
  revolute,
  prismatic,
  helical,
  cylindrical,
  universal,
  planar,
  spherical,
  free,
  translation
};

inline constexpr int joint_kind_count = static_cast<int>(JointKind::translation) + 1;

/// Calls f(Kind()) with the type that defines a kind of joint.
template <class F>
decltype(auto) with_joint(JointKind kind, F&& f) {
  switch (kind) {
    case JointKind::revolute:
      return f(joints::Revolute());
    case JointKind::prismatic:
      return f(joints::Prismatic());
    case JointKind::helical:
      return f(joints::Helical());
    case JointKind::cylindrical:
      return f(joints::Cylindrical());
    case JointKind::universal:
      return f(joints::Universal());
    case JointKind::planar:
      return f(joints::Planar());
    case JointKind::spherical:
      return f(joints::Spherical());
    case JointKind::free:
      return f(joints::Free());
    case JointKind::translation:
      return f(joints::Translation());
    case JointKind::fixed:
      break;
  }
  return f(joints::Fixed());
}

/// The properties of a kind as data and functions.
const JointType& joint_type(JointKind kind);

/// The kind with this name in scenes, such as "revolute"; nothing if there is none.
std::optional<JointKind> find_joint_kind(std::string_view name);

/// Number of stored coordinates and of velocities of a joint.
int coordinate_count(JointKind kind);
int freedom_count(JointKind kind);

}  // namespace torsor
