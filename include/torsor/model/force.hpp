#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "torsor/lie/se3.hpp"
#include "torsor/lie/types.hpp"

/// The forces of a mechanism as plain data. `Forces` (forces.hpp) evaluates them.
namespace torsor {

/// The index of the ground as a body.
inline constexpr int world = -1;

/// A point fixed on a body (body axes, from the centre of mass) or on the ground (world axes).
struct BodyPoint {
  int body = world;
  Vec3 p = Vec3::Zero();
  int node = -1;  ///< the node of the body at this point, on which the force acts; -1: no node
};

/// A quantity of the motion that a function of the state uses.
struct Measured {
  enum class Quantity {
    joint_coordinate,       ///< of the joint as declared (parent to child); angles count full turns
    joint_rate,             ///< of the joint as declared
    position,               ///< of a point, world axes, m
    velocity,               ///< of a point, world axes, m/s
    angular_velocity,       ///< of a body, world axes, rad/s
    angular_velocity_body,  ///< of a body, body axes, rad/s
    rotation,               ///< the entry of R_WB with row component / 3 and column component % 3
    own_state,              ///< z of Mechanism::states
    function                ///< the value of a function of Mechanism::functions
  };
  Quantity quantity = Quantity::joint_coordinate;
  int index = 0;      ///< of the joint, the own state or the function
  int component = 0;  ///< of the joint's coordinates or rates, or of the vector
  BodyPoint point;    ///< for the quantities of points and bodies
};

/// A function f of time and of measured quantities. A kink is a place where the function is not smooth. The
/// sign of a switching function chooses between two smooth branches, and changes at the kink. A run holds the
/// branches during a step and ends the step at the kink, so that methods keep their order.
struct StateFunction {
  std::vector<Measured> inputs;
  int kinks = 0;  ///< number of switching functions
  /// f at y = (t, inputs). If `sides` is not nullptr, kink k has the branch of the side sides[k], +1 or -1,
  /// or 0 while its switching function rests at 0; otherwise the sign of its switching function chooses the
  /// branch. If `switching` is not nullptr, it receives the values of the switching functions.
  std::function<double(const double* y, const signed char* sides, double* switching)> function;
  /// df/dt for the rates `y_rate` of y; only for the value of a velocity constraint, which needs it.
  std::function<double(const double* y, const double* y_rate, const signed char* sides)> rate = {};
  bool of_time = true;  ///< whether f may depend on t besides the inputs
};

/// A number that may depend on time, with its first two derivatives: a constant, or a function of t (s). A
/// scene gives an expression, a user of the library may give any callable. In forces, own states, events and
/// values of velocity constraints, it may be a function of the state, whose only derivative is the rate.
class TimeFunction {
 public:
  struct Value {
    double value = 0, rate = 0, acceleration = 0;
  };

  TimeFunction(double constant = 0) : constant_(constant) {}
  /// An empty function gives the constant NaN, which mechanisms refuse.
  TimeFunction(std::function<Value(double)> function, std::string text)
      : constant_(function ? 0 : NAN), function_(std::move(function)), text_(std::move(text)) {}
  TimeFunction(StateFunction function, std::string text)
      : of_state_(std::make_shared<const StateFunction>(std::move(function))), text_(std::move(text)) {}

  bool is_constant() const { return !function_ && !of_state_; }
  /// Whether it may contain t itself. A function of the state may contain the state only.
  bool depends_on_time() const { return of_state_ ? of_state_->of_time : static_cast<bool>(function_); }
  /// The function of the state; nullptr for a constant and for a function of t alone.
  const StateFunction* of_state() const { return of_state_.get(); }
  /// The value at t. Not for a function of the state: see Forces::value.
  double operator()(double t) const { return function_ ? function_(t).value : constant_; }
  Value with_derivatives(double t) const { return function_ ? function_(t) : Value{constant_, 0, 0}; }
  /// The expression as the user wrote it; empty for a constant.
  const std::string& text() const { return text_; }

 private:
  double constant_ = 0;
  std::function<Value(double)> function_;
  std::shared_ptr<const StateFunction> of_state_;
  std::string text_;
};

/// The functions of a law of forces, for use inside the library: how the law is read, checked, evaluated and
/// drawn. Each file in lib/model/forces/ defines the `kind()` of its law.
template <class Law>
class ForceKind;

using TimeVec3 = std::array<TimeFunction, 3>;

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
/// force is a component of the torque or of the force, and the stiffness k must be zero. Units: N, m, s, rad.
struct JointForce {
  int joint = 0;       ///< index in Mechanism::joints
  int coordinate = 0;  ///< which velocity component of the joint
  TimeFunction stiffness = 0., rest = 0., damping = 0., force = 0.;
  static const ForceKind<JointForce>& kind();
};

/// Force (N) and torque (N m) on a body at a point, components in world or body axes.
struct BodyForce {
  BodyPoint point;
  TimeVec3 force{0., 0., 0.}, torque{0., 0., 0.};
  bool body_axes = false;
  static const ForceKind<BodyForce>& kind();
};

/// Linear field on the mass centre or another point: f = -K (x - x0) - C v + charge * v x B, world axes.
struct LinearField {
  int body = 0;
  Mat3 K = Mat3::Zero(), C = Mat3::Zero();  ///< N/m, N s/m
  TimeVec3 x0{0., 0., 0.}, B{0., 0., 0.};   ///< m, T
  TimeFunction charge = 0.;                 ///< C
  Vec3 p = Vec3::Zero();                    ///< its point of action, body axes
  int node = -1;                            ///< as BodyPoint::node
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

/// A force element as a user's functions of the motion of some bodies and of own states of the mechanism. It
/// may store energy.
struct ForceElement {
  struct Input {
    double t;
    const std::vector<BodyKinematics>& bodies;  ///< in the order of ForceElement::bodies
    const std::vector<double>& states;          ///< z, in the order of ForceElement::states
  };
  /// The potential V and the power P = d/dt (kinetic energy + V). P is the sum of the power of the forces
  /// that do not derive from V and of the rate at which V changes with time and states alone.
  struct Energy {
    double potential = 0, power = 0;
  };
  std::vector<int> bodies;  ///< each once, without the ground
  std::vector<int> states;  ///< indices in Mechanism::states
  /// Adds to the wrench at the mass centre of each of the bodies, world axes.
  std::function<void(const Input&, std::vector<Wrench>& wrenches)> function;
  std::function<Energy(const Input&)> energy;  ///< empty: V = 0, and P is the power of the wrenches
  static const ForceKind<ForceElement>& kind();
};

struct Force {
  std::string name;
  std::variant<UniformGravity, CentralGravity, PointSpring, JointForce, BodyForce, LinearField, UserForce,
               ForceElement>
      law;
};

}  // namespace torsor
