#pragma once

#include <optional>
#include <string>

#include "torsor/lie/state.hpp"
#include "torsor/lie/types.hpp"

namespace torsor {

class ConstrainedSystem;

/// A second-order system on a Lie group, in flat vectors: q' = q v, v' = a(t, q, v).
///
/// The contract between the steppers and everything that moves. Implementations keep their scratch inside, so
/// one object serves one thread. Evaluations may throw EvaluationError; results may be non-finite (steppers
/// check). Small systems known at compile time use the template form instead (field.hpp).
class System {
 public:
  virtual ~System() = default;

  virtual int nq() const = 0;
  virtual int nv() const = 0;

  /// q exp(xi), unit quaternions renormalised.
  virtual void retract(VecIn q, VecIn xi, VecOut q_next) const = 0;
  /// log(q^-1 p).
  virtual void local_difference(VecIn q, VecIn p, VecOut xi) const = 0;
  /// Left-trivialised derivative of exp at xi applied to w, its inverse, and the transpose of the inverse.
  virtual void dexp(VecIn xi, VecIn w, VecOut out) const = 0;
  virtual void dexp_inv(VecIn xi, VecIn w, VecOut out) const = 0;
  virtual void dexp_inv_transpose(VecIn xi, VecIn p, VecOut out) const = 0;

  virtual void acceleration(double t, VecIn q, VecIn v, VecOut a) const = 0;

  /// Where `maps_velocity`, q' = q V(t, q, v) instead of q v, with V(t, q, V(t, q, v)) = V(t, q, v): a
  /// velocity that meets constraints, in which some numbers of v follow from the others (minimal velocities)
  /// or which is next to v (index 1). v' is then that of V. `out` may be v.
  virtual bool maps_velocity() const { return false; }
  virtual void velocity(double, VecIn, VecIn v, VecOut out) const { out = v; }
  /// At the beginning of each main step: time to choose which numbers follow, or how constraints near a loss
  /// of rank are met. Only then, so that all stages see one field, and what else is evaluated does not change
  /// the motion.
  virtual void begin_step(double, VecIn) const {}

  /// The field of the system in the chart q exp(xi): xi' = dexp_inv(xi) v, v' = a(t, q exp(xi), v). One call
  /// a stage; override it where the three parts can share work.
  virtual void chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const;

  /// Size of an error (xi, dv) at the state x, in the norm that step control uses; the default is the
  /// greatest of |xi_i| and |dv_i| / (1 + |v_i|). Not a number as soon as one component is.
  virtual double error_norm(const State& x, VecIn xi, VecIn dv) const;

  /// For the symplectic methods: a constant left-invariant metric G and forces f(t, q) alone,
  ///   G v' = ad*_v G v + f(t, q).
  /// Why this system has no such form, or nothing when it has; then the next three are defined.
  virtual std::optional<std::string> why_not_invariant_metric() const {
    return "the system does not give its metric";
  }
  virtual void momentum(VecIn v, VecOut p) const;                  ///< G v
  virtual void momentum_inverse(VecIn p, VecOut v) const;          ///< G^-1 p
  virtual void position_force(double t, VecIn q, VecOut f) const;  ///< f(t, q)

  /// The same system in the form that knows the tangent of its equations, for implicit methods; nullptr where
  /// it has none, and Newton's method takes a dense one by differences.
  virtual const ConstrainedSystem* with_tangent() const { return nullptr; }

 private:
  mutable Vec q_scratch_;
};

}  // namespace torsor
