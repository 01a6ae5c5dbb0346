#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "torsor/lie/se3.hpp"
#include "torsor/lie/types.hpp"

/// The forces of a mechanism as plain data. `Forces` (forces.hpp) evaluates them.
namespace torsor {

/// A number that may depend on time, with its first two derivatives: a constant, or a function of t (s).
/// A scene gives an expression for the function; a user of the library may give any callable.
class TimeFunction {
 public:
  struct Value {
    double value = 0, rate = 0, acceleration = 0;
  };

  TimeFunction(double constant = 0) : constant_(constant) {}
  TimeFunction(std::function<Value(double)> function, std::string text)
      : function_(std::move(function)), text_(std::move(text)) {}

  bool is_constant() const { return !function_; }
  double operator()(double t) const { return function_ ? function_(t).value : constant_; }
  Value with_derivatives(double t) const { return function_ ? function_(t) : Value{constant_, 0, 0}; }
  /// The expression as the user wrote it; empty for a constant.
  const std::string& text() const { return text_; }

 private:
  double constant_ = 0;
  std::function<Value(double)> function_;
  std::string text_;
};

/// The functions of a law of forces, for use inside the library: how the law is read, checked, evaluated and
/// drawn. Each file in lib/model/forces/ defines the `kind()` of its law.
template <class Law>
class ForceKind;

/// The index of the ground as a body.
inline constexpr int world = -1;

using TimeVec3 = std::array<TimeFunction, 3>;

/// A point fixed on a body (body axes, from the centre of mass) or on the ground (world axes).
struct BodyPoint {
  int body = world;
  Vec3 p = Vec3::Zero();
  int node = -1;  ///< the node of the body at this point, on which the force acts; -1: no node
};

/// Uniform gravity: acceleration g in world axes, on every body and particle.
struct UniformGravity {
  TimeVec3 g{0., 0., -9.81};
  static const ForceKind<UniformGravity>& kind();
};

/// Central field of strength mu (m^3/s^2) at `centre`, with the gravity-gradient terms of MacCullagh's
/// potential
///   V = -mu m / r - mu / (2 r^3) (tr J - 3 u . R J R^T u),  u = x / r.
struct CentralGravity {
  TimeFunction mu = 1.;
  Vec3 centre = Vec3::Zero();
  bool gradient = true;
  static const ForceKind<CentralGravity>& kind();
};

/// Spring and damper along the line between two points.
struct PointSpring {
  BodyPoint a, b;
  TimeFunction stiffness = 0., damping = 0., rest_length = 0.;  ///< N/m, N s/m, m
  static const ForceKind<PointSpring>& kind();
};

/// Spring, damper (viscous friction) and drive in one coordinate of a joint: generalised force
/// f - k (q - q0) - c q'. Spherical and free joints have no independent coordinates: there the generalised
/// force is a component of the torque or of the force, and the stiffness k must be zero.
struct JointForce {
  int joint = 0;       ///< index in Mechanism::joints
  int coordinate = 0;  ///< which velocity component of the joint
  TimeFunction stiffness = 0., rest = 0., damping = 0., force = 0.;
  static const ForceKind<JointForce>& kind();
};

/// Force f and torque m on a body at a point, components in world or body axes.
struct BodyForce {
  BodyPoint point;
  TimeVec3 force{0., 0., 0.}, torque{0., 0., 0.};
  bool body_axes = false;
  static const ForceKind<BodyForce>& kind();
};

/// Linear field on the mass centre or another point: f = -K (x - x0) - C v + charge * v x B, world axes.
struct LinearField {
  int body = 0;
  Mat3 K = Mat3::Zero(), C = Mat3::Zero();
  TimeVec3 x0{0., 0., 0.}, B{0., 0., 0.};
  TimeFunction charge = 0.;
  Vec3 p = Vec3::Zero();  ///< its point of action, body axes
  int node = -1;          ///< as BodyPoint::node
  static const ForceKind<LinearField>& kind();
};

/// Argument of users' functions for each body: pose and velocities (world axes, mass centre).
struct BodyKinematics {
  SE3<> X_WB;
  Vec3 v_W, omega_W;
};
/// Force and torque, world axes.
struct Wrench {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};
/// A force law as a user's function. For each body it adds to the wrench at the mass centre, world axes.
struct UserForce {
  std::string name;
  std::function<void(double t, const std::vector<BodyKinematics>& bodies, std::vector<Wrench>& wrenches)>
      function;
  static const ForceKind<UserForce>& kind();
};

struct Force {
  std::string name;
  std::variant<UniformGravity, CentralGravity, PointSpring, JointForce, BodyForce, LinearField, UserForce>
      law;
};

}  // namespace torsor
