#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "feedback.hpp"
#include "force_check.hpp"
#include "model/constraints/time_values.hpp"
#include "model/law_drawing.hpp"
#include "model/law_table.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {

/// Input and output of a user's force: of the bodies of a force element, or of all bodies of the mechanism.
struct UserForceScratch {
  std::vector<BodyKinematics> bodies;
  std::vector<Wrench> wrenches;
  std::vector<double> states;
};

/// Input of the force laws at one instant: the state, and the workspace after forward_kinematics.
struct ForceInstant {
  const Model& model;
  const Workspace<double>& work;
  UserForceScratch& user;
  const Feedback& feedback;
  double t;
  VecIn q, v;

  const Body& body(int link) const { return model.mechanism().bodies[model.body[link]]; }
};

/// The functions of a law of forces. The file of a law derives a class from this one and overrides the
/// functions that differ from the defaults.
template <class Law>
class ForceKind {
 public:
  /// Whether a [[force]] with this `kind` in a scene has this law.
  virtual bool reads([[maybe_unused]] std::string_view kind) const { return false; }
  virtual Law read(const LawTable&) const { return {}; }
  /// Collects the errors in the data.
  virtual void check(const Law& law, ForceCheck& at) const = 0;

  /// Adds the loads: wrenches at the mass centres of links in world axes, forces on coordinates, or a uniform
  /// acceleration.
  virtual void add_loads(const Law& law, const ForceInstant& now, Loads<double>& loads) const = 0;
  /// Potential V with the parameters at the instant; zero for a law without a potential.
  virtual double potential(const Law&, const ForceInstant&) const { return 0; }
  /// Power P of the forces that are not -dV/dx, plus the explicit time derivative of V. On any motion
  /// d(T + sum V)/dt = sum P, T the kinetic energy.
  virtual double power(const Law& law, const ForceInstant& now) const = 0;

  /// Whether P is zero on every motion: no damping, no load, no dependence on time.
  virtual bool conserves_energy(const Law& law) const = 0;
  /// Whether the force may depend on velocities.
  virtual bool depends_on_velocity(const Law& law) const = 0;
  /// The parameters of the law that may be functions.
  virtual std::vector<const TimeFunction*> functions(const Law&) const { return {}; }
  bool depends_on_time(const Law& law) const {
    const auto functions = this->functions(law);
    return std::any_of(functions.begin(), functions.end(),
                       [](const auto* f) { return f->depends_on_time(); });
  }
  /// Whether a parameter is a function of the state. The law then counts as a load, without a potential.
  bool depends_on_state(const Law& law) const {
    const auto functions = this->functions(law);
    return std::any_of(functions.begin(), functions.end(), [](const auto* f) { return f->of_state(); });
  }
  /// The bodies on which the force acts if a parameter is a function of the state.
  virtual std::vector<int> loaded_bodies(const Law& law, const Mechanism& mechanism) const = 0;
  /// The points on which the force acts; none if it does not act on single points.
  virtual std::vector<BodyPoint> loaded_points(const Law&) const { return {}; }
  /// The bodies that the force couples: it depends on the motion of one of them and acts on another one.
  virtual std::vector<int> coupled_bodies(const Law&) const { return {}; }

  /// The unit of the number that describes the force in results; empty if no single number describes it.
  virtual std::string_view scalar_unit(const Law&, const Mechanism&) const { return {}; }
  /// The number that describes the force.
  virtual double scalar(const Law&, const ForceInstant&) const { return 0; }
  /// Adds the marks and lines by which a replay shows the force.
  virtual void draw(const Law&, const Mechanism&, LawDrawing&) const {}

 protected:
  ~ForceKind() = default;
};

/// Calls f(kind, law) with the law of a force and its kind.
template <class F>
decltype(auto) with_kind(const Force& force, F&& f) {
  return std::visit([&](const auto& law) -> decltype(auto) { return f(law.kind(), law); }, force.law);
}

/// Pose and velocities of a link.
inline BodyKinematics kinematics_of(int link, const Workspace<double>& work) {
  return {{SO3<>::from_matrix(work.R_WB[link]), work.p_WB[link]}, work.v_WB[link], work.w_WB[link]};
}

/// The wrench of a joint force on the declared child of its joint, at the origin of M, world axes.
Wrench wrench_on_child(const JointForce& law, const ForceInstant& now);

/// The value of a parameter.
inline double value(const TimeFunction& f, const ForceInstant& now) {
  return f.of_state() ? now.feedback.value(f, now.t, now.q, now.v, now.work) : f(now.t);
}
inline Vec3 value(const TimeVec3& f, const ForceInstant& now) {
  return {value(f[0], now), value(f[1], now), value(f[2], now)};
}

/// All bodies of a mechanism.
inline std::vector<int> all_bodies(const Mechanism& mechanism) {
  std::vector<int> all(mechanism.bodies.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// dV/dt of V = k (y - y0)^2 / 2 at fixed y.
inline double explicit_power(const TimeFunction& stiffness, const TimeFunction& rest, double y, double t) {
  if (stiffness.is_constant() && rest.is_constant()) return 0;
  const auto k = stiffness.with_derivatives(t), y0 = rest.with_derivatives(t);
  const double stretch = y - y0.value;
  return k.rate * stretch * stretch / 2 - k.value * stretch * y0.rate;
}

}  // namespace torsor
