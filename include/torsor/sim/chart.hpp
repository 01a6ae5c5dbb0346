#pragma once

#include <string_view>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/treatment.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {

/// How the accelerations of a chart are computed. All give the same motion.
enum class ChartEquations {
  coordinates,  ///< Lagrange's, in coordinates
  hamel,        ///< Volterra's, Hamel's and Boltzmann's, in the frame of the quasi-velocities
  christoffel,  ///< nabla_v p = f with the Levi-Civita connection, by its coefficients in that frame
  canonical,    ///< with the connection whose coefficients there are those of the brackets, L = c
};
std::string_view to_string(ChartEquations equations);

struct ChartOptions {
  ChartEquations equations = ChartEquations::coordinates;
  Treatment treatment = Treatment::index_1;
  TreatmentParameters parameters = {};
  double time_metric = 1;  ///< J, of ChartGeometry
};

/// A system in coordinates (ChartFields) on R^n as a ConstrainedSystem: the state is (q, u = q'),
///
///   g(q, t) u' = f(q, u, t) - dU - b + A^T lambda,   A u + a_0 = 0,   phi(q, t) = 0,
///
/// the rows of phi first. With `viscous`, rows without phi give way: in their place acts the force
/// -A^T (mu/eps) (A u + a_0). With `minimal`, q' is the projection of u on the rows along the metric. With
/// `dynamic`, constraint damping and stiffness as in MechanismSystem, by exact derivatives.
class Chart : public ConstrainedSystem {
 public:
  int nq() const final { return size(); }
  int nv() const final { return size(); }
  void retract(VecIn q, VecIn xi, VecOut q_next) const final { q_next = q + xi; }
  void local_difference(VecIn q, VecIn p, VecOut xi) const final { xi = p - q; }
  void dexp(VecIn, VecIn w, VecOut out) const final { out = w; }
  void dexp_inv(VecIn, VecIn w, VecOut out) const final { out = w; }
  void dexp_inv_transpose(VecIn, VecIn p, VecOut out) const final { out = p; }

  virtual int size() const = 0;  ///< n

  /// (u, 1)^T metric (u, 1) / 2 and U, J.
  virtual double kinetic_energy(double t, VecIn q, VecIn u) const = 0;
  virtual double potential_energy(double t, VecIn q) const = 0;
  /// g_0 . u + g_00 / 2, J: what of the kinetic energy a metric that moves brings along.
  virtual double carried_energy(double t, VecIn q, VecIn u) const = 0;
  virtual void quasi_velocities(double t, VecIn q, VecIn u, VecOut v) const = 0;

  /// Multipliers of all rows: `lambda` of those that a stepper sees, friction of those that give way.
  virtual Vec multipliers(double t, VecIn q, VecIn u, VecIn lambda) const = 0;
  /// [A a_0] of all rows.
  virtual const Eigen::MatrixXd& all_rows(double t, VecIn q) const = 0;

  /// The rate of kinetic - carried + potential energy that the rows do not explain, W; that of the rows is
  /// -lambda a_0 for `row_offsets` a_0.
  virtual double load_power(double t, VecIn q, VecIn u) const = 0;
  virtual void row_offsets(double t, VecIn q, VecOut a0) const = 0;
  virtual void acceleration_and_power(double t, VecIn q, VecIn u, VecOut a, double& power) const;
  bool conserves_energy() const { return false; }  // fields are not asked

  /// How far the equations' connection is from the weak condition, relative to max|g| max|L|: it gives the
  /// motion only where this vanishes. 0 where no connection is used.
  virtual double weak_residual(double t, VecIn q) const = 0;
};

}  // namespace torsor
