#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "torsor/lie/se3.hpp"

namespace torsor {

/// How the degrees of freedom of a free body compose (doi 10.1007/s11071-023-08326-9, eqs. 94-121): `direct`
/// is R^3 x SO(3), velocity (x', Omega), x' in world axes; `semidirect` is SE(3), velocity (R^T x', Omega).
enum class GroupProduct { direct, semidirect };
constexpr std::string_view to_string(GroupProduct product) {
  return product == GroupProduct::direct ? "direct" : "semidirect";
}

/// A coordinate of a joint: its name in results, its unit, and its motion, the child's frame M moving in the
/// parent's frame F. Constraints cannot name a coordinate whose motion is `none`.
struct JointCoordinate {
  enum class Motion {
    none,
    along_x,      ///< displacement along x of F
    along_y,      ///< displacement along y of F
    along_z,      ///< displacement along z of F
    angle,        ///< about z, counts turns
    helix_angle,  ///< about z; the displacement along z counts its turns
    cross_angle,  ///< of a universal joint, counts turns
  };
  std::string_view name, unit;
  Motion motion = Motion::none;
};

/// A rate of a joint: its name in results and its unit.
struct JointRate {
  std::string_view name, unit;
};

/// A constraint row of a joint. A torque row constrains an angle, a force row a displacement.
enum class JointRow {
  along_x,  ///< displacement along x of F
  along_y,
  along_z,
  tilt_x,  ///< z of M stays along z of F: the tilt about x of F
  tilt_y,
  crossed,  ///< x of F stays perpendicular to y of M
  turn_x,   ///< rotation vector of M in F, near zero
  turn_y,
  turn_z,
  rise,  ///< displacement along z less pitch * angle
};

/// The properties of a kind of joint. Poses, twists and rates are those of the child's frame M in the
/// parent's frame F; twists are at the origin of M in axes of M, linear part first.
struct JointType {
  using Twist = Vector<double, 6>;

  std::string_view name;   ///< as scenes spell it
  std::string_view group;  ///< Lie group of the motion; for a free joint that of the direct product
  std::span<const JointCoordinate> coordinates;  ///< in the order of results: a quaternion as w x y z
  std::span<const JointRate> rates;
  std::span<const JointRow> rows;
  bool quaternion;  ///< whether the last four stored coordinates are a unit quaternion, x y z w

  /// X_FM at the stored coordinates q.
  SE3<> (*pose)(double pitch, const double* q);
  /// The stored coordinates with the pose X_FM. If the joint cannot take this pose, the same formulas give
  /// coordinates with an approximate pose.
  void (*coordinates_at)(double pitch, const SE3<>& X_FM, double* q);
  /// The rates v with this twist at q. If the joint cannot have this twist, the same formulas give rates with
  /// an approximate twist.
  void (*rates_at)(GroupProduct group, const double* q, const Twist& twist, double* v);
  /// Adds to a the term c from the change of the map from twists to rates: v' = rates_at(twist') + c.
  void (*add_rate_of_map)(GroupProduct group, const double* q, const Twist& twist, double* a);
  /// Coordinates and rates of the same motion seen from M, F moving in M. The function is its own inverse. It
  /// is null if the motion of F in M is not of this kind.
  void (*seen_from_child)(GroupProduct group, double pitch, const double* q, const double* v, double* q_out,
                          double* v_out);
  /// The reason why the kinetic energy of a body on this joint depends on the coordinates of the joint, as a
  /// text that follows the name of the body; none if it does not depend on them. c is the mass centre in M
  /// (m). Lengths below `rounding` count as zero.
  std::optional<std::string_view> (*why_metric_varies)(GroupProduct group, const Vec3& c, double rounding);
};

}  // namespace torsor
