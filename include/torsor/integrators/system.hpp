#pragma once

#include <span>
#include <string>

#include "torsor/lie/types.hpp"

namespace torsor {

static_assert(eigen_fits_library, "compile with the options of torsor::torsor or pkg-config --cflags torsor");

class ConstrainedSystem;
class EulerPoincare;
class Tangent;

/// The velocity V of a system whose configuration moves by V in place of v: q' = q V(t, q, v), with
/// V(t, q, V(t, q, v)) = V(t, q, v). V satisfies the constraints: its dependent velocities follow from the
/// independent velocities in v (minimal velocities), or it is the velocity nearest to v (index 1). In a
/// reduced system V is the velocity on the slow manifold, with its slip in the rows that friction replaces.
class VelocityMap {
 public:
  virtual ~VelocityMap() = default;
  /// V(t, q, v). `out` may be v.
  virtual void velocity(double t, VecIn q, VecIn v, VecOut out) const = 0;
  /// Whether the acceleration at v is that at V(t, q, v). A method may then keep it when V takes the place of
  /// v.
  virtual bool keeps_acceleration() const { return true; }
};

/// The power (W) of the forces that do not derive from the potential, and of the constraints with nonzero a0:
/// the rate at which kinetic plus potential energy changes.
class Powered {
 public:
  virtual ~Powered() = default;
  /// Whether this power is always 0.
  virtual bool conserves_energy() const = 0;
  /// The acceleration and the power at (t, q, v).
  virtual void acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const = 0;
};

/// The parts of the power of a system with constraint rows.
class PoweredRows : public Powered {
 public:
  /// The part that the loads supply at (t, q, v).
  virtual double load_power(double t, VecIn q, VecIn v) const = 0;
  /// a0. The constraints supply the power -lambda a0.
  virtual void row_offsets(double t, VecIn q, VecOut a0) const = 0;
};

/// States z of a system besides its motion, z' = r(t, q, v, z), such as the integrators of a controller. The
/// motion may depend on them.
class OwnStates {
 public:
  virtual ~OwnStates() = default;
  virtual int count() const = 0;
  /// Sets the z of all evaluations of the system and of `rates` until the next call.
  virtual void set(VecIn z) const = 0;
  virtual void rates(double t, VecIn q, VecIn v, VecOut out) const = 0;
};

/// Angles that are computed from the configuration without full turns, such as those of joints that close
/// loops. They count turns from the last accepted state, so a step must turn them by less than half a turn.
class CountedAngles {
 public:
  virtual ~CountedAngles() = default;
  /// Called at the beginning of a run. Forgets the turns of earlier runs.
  virtual void begin_run() const {}
  /// The greatest rate of these angles at (q, v), rad/s.
  virtual double rate(VecIn q, VecIn v) const = 0;
  /// Counts the turns up to the accepted state (q, v). Returns the greatest rate there.
  virtual double follow(VecIn q, VecIn v) const = 0;
};

/// The instants at which the field of a system is not smooth: kinks, where a switching function changes its
/// sign, and samples, where held values jump.
class Switching {
 public:
  virtual ~Switching() = default;
  virtual int kinks() const = 0;
  /// The part of the system that has a kink, such as `force "brake"`.
  virtual std::string name(int kink) const = 0;
  /// The switching functions at (t, q, v). None depends on its own side.
  virtual void functions(double t, VecIn q, VecIn v, VecOut values) const = 0;
  /// The switching functions that depend on t alone; 0 for the others. Returns whether there are any.
  virtual bool functions_of_time(double t, VecOut values) const = 0;
  /// Holds kink k on the side sides[k], +1 or -1, or 0 if its switching function rests at 0, in all
  /// evaluations until the next call. With an empty span, each evaluation takes the side of its state.
  virtual void hold(std::span<const signed char> sides) const = 0;

  /// The first sample after t; infinity if there is none. `begin`: the beginning of the run.
  virtual double next_sample(double begin, double t) const = 0;
  /// Takes the samples that fall on t: changes the held values in v.
  virtual void sample(double begin, double t, VecIn q, VecOut v) const = 0;
};

/// A second-order system on a Lie group, in flat vectors: q' = q v, v' = a(t, q, v).
///
/// The interface between the steppers and all mechanical systems. Implementations contain their scratch, so
/// one object serves one thread. Evaluations may throw EvaluationError; results may be non-finite (steppers
/// check). Small systems known at compile time use the template form instead (field.hpp).
class System {
 public:
  virtual ~System() = default;

  virtual int nq() const = 0;
  virtual int nv() const = 0;
  /// How many of the last components of v are quadratures: integrals along the motion, such as work, that act
  /// neither on the motion nor on each other. They have no coordinate in q. No norm contains them.
  virtual int quadratures() const { return 0; }
  /// How many of the last components of v have no coordinate in q: quadratures, and states besides the
  /// motion.
  virtual int additions() const { return quadratures(); }

  /// q exp(xi), unit quaternions renormalised.
  virtual void retract(VecIn q, VecIn xi, VecOut q_next) const = 0;
  /// log(q^-1 p).
  virtual void local_difference(VecIn q, VecIn p, VecOut xi) const = 0;
  /// Left-trivialised derivative of exp at xi applied to w, and its inverse. `out` may be w.
  virtual void dexp(VecIn xi, VecIn w, VecOut out) const = 0;
  virtual void dexp_inv(VecIn xi, VecIn w, VecOut out) const = 0;

  virtual void acceleration(double t, VecIn q, VecIn v, VecOut a) const = 0;

  /// The field of the system in the exponential chart q exp(xi): xi' = dexp_inv(xi) v (or V),
  /// v' = a(t, q exp(xi), v). One call a stage; override it if retract, dexp_inv and acceleration can share
  /// work.
  virtual void chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const;

  /// Size of an error (xi, dv) at the state x, in the norm that step control uses, without quadratures; the
  /// default is the greatest of |xi_i| and |dv_i| / (1 + |v_i|). Not finite if a component is not finite.
  virtual double error_norm(const State& x, VecIn xi, VecIn dv) const;

  // Optional capabilities; each function returns nullptr if this system does not have the capability.

  /// This system with its constraint rows.
  virtual const ConstrainedSystem* constrained() const { return nullptr; }
  /// V, if the velocity is not v itself. v' is then the acceleration at V, unless keeps_acceleration() is
  /// false.
  virtual const VelocityMap* velocity_map() const { return nullptr; }
  /// The power of forces that do not conserve energy.
  virtual const Powered* power() const { return nullptr; }
  /// States besides the motion. A run integrates them together with the motion.
  virtual const OwnStates* own_states() const { return nullptr; }
  /// Where the field is not smooth.
  virtual const Switching* switching() const { return nullptr; }
  /// Angles that count full turns.
  virtual const CountedAngles* counted_angles() const { return nullptr; }
  /// The form of the equations that symplectic methods need.
  virtual const EulerPoincare* euler_poincare() const { return nullptr; }
  /// The iteration matrix of implicit methods. Without it, Newton's method computes a dense Jacobian by
  /// differences.
  virtual Tangent* tangent() const { return nullptr; }

 private:
  mutable Vec q_scratch_;
};

/// A view of the components of v, a vector of size nv, that are not quadratures. v must outlive the view.
template <class Vector>
auto without_quadratures(const System& system, const Vector& v) {
  return v.head(v.size() - system.quadratures());
}

}  // namespace torsor
