#pragma once

#include <string_view>

#include "torsor/coordinates/detail/affinities_at.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/treatment.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor {

/// The equations of motion that give the accelerations of a system in coordinates. The first two always give
/// the same motion. The others are nabla_v p = f with a connection in a frame. The affinities of the
/// connection are those named here plus those of the fields (CoordinateFields::affinities and sigma). The
/// connection gives the motion only where its weak residual vanishes (SystemInCoordinates::affinities_at).
enum class CoordinateEquations {
  coordinates,      ///< Lagrange's equations, in coordinates
  hamel,            ///< equations of Volterra, Hamel and Boltzmann, in the frame of the quasi-velocities
  christoffel,      ///< the Levi-Civita connection
  canonical_minus,  ///< L = 0
  canonical_zero,   ///< L = c/2, with the structure coefficients c of the frame
  canonical_plus,   ///< L = c
};
std::string_view to_string(CoordinateEquations equations);

struct CoordinateOptions {
  CoordinateEquations equations = CoordinateEquations::coordinates;
  Treatment treatment = Treatment::index_1;
  TreatmentParameters parameters = {};
  double time_metric = 1;  ///< J, see CoordinateGeometry
};

/// The energy of a system in coordinates, J.
struct CoordinateEnergy {
  double kinetic;    ///< (u, 1)^T metric (u, 1) / 2
  double potential;  ///< U
  double carried;  ///< g_0 . u + g_00 / 2: the part of the kinetic energy that comes from moving coordinates
};

/// A system in coordinates (CoordinateFields) on R^n as a ConstrainedSystem: the state is (q, u = q'),
///
///   g(q, t) u' = f(q, u, t) - dU - b + A^T lambda,   A u + a_0 = 0,   phi(q, t) = 0,
///
/// where b has the terms of the equations of motion that depend on the velocities, such as Coriolis terms.
/// The rows of phi come first. Treatments of the constraints:
///
///   viscous   the force -A^T (mu/eps) (A u + a_0) replaces the rows of CoordinateFields::rows; those of phi
///             remain
///   minimal   q' is the projection of u on the allowed velocities, orthogonal in the metric g
///   dynamic   constraint damping and stiffness as in MechanismSystem, by exact derivatives
class SystemInCoordinates : public ConstrainedSystem, public PoweredRows {
 public:
  int nq() const final { return size(); }
  int nv() const final { return size(); }
  void retract(VecIn q, VecIn xi, VecOut q_next) const final { q_next = q + xi; }
  void local_difference(VecIn q, VecIn p, VecOut xi) const final { xi = p - q; }
  void dexp(VecIn, VecIn w, VecOut out) const final { out = w; }
  void dexp_inv(VecIn, VecIn w, VecOut out) const final { out = w; }

  const PoweredRows* power() const final { return this; }

  virtual int size() const = 0;       ///< n
  virtual int row_count() const = 0;  ///< of all_rows

  virtual CoordinateEnergy energy(double t, VecIn q, VecIn u) const = 0;
  virtual void quasi_velocities(double t, VecIn q, VecIn u, VecOut v) const = 0;

  /// Multipliers of all rows: `lambda` for the rows that a stepper sees, then the multipliers of friction for
  /// the rows that friction replaces.
  virtual Vec multipliers(double t, VecIn q, VecIn u, VecIn lambda) const = 0;
  /// [A a_0] of all rows.
  virtual const Eigen::MatrixXd& all_rows(double t, VecIn q) const = 0;

  /// The power is the rate of kinetic - carried + potential energy, W. The fields do not tell
  /// whether the energy is conserved, so conserves_energy is false.
  bool conserves_energy() const final { return false; }
  /// Whether the exact motion keeps energy minus work, so that a drift is an error. A reduced motion does
  /// not: it leaves out a part of the work.
  virtual bool keeps_energy() const { return true; }
  void acceleration_and_power(double t, VecIn q, VecIn u, VecOut a, double& power) const override;

  /// Whether the accelerations come from a connection other than the Christoffel connection.
  virtual bool by_connection() const = 0;
  /// The affinities of the connection in use, if there is one.
  virtual AffinitiesAt affinities_at(double t, VecIn q) const = 0;
  /// The weak residual of affinities_at. 0 for the other equations and for the Christoffel connection.
  double weak_residual(double t, VecIn q) const {
    return by_connection() ? affinities_at(t, q).weak_residual() : 0;
  }

 protected:
  /// Moves (q, u) to the state at which the acceleration is taken: in a step that begins near a loss of rank,
  /// to the nearest state that satisfies the constraints (not with the treatment `dynamic`). Then the
  /// velocity of velocity_map(), if there is one, takes the place of u.
  void to_state_of_acceleration(double t, VecOut q, VecOut u) const;
};

}  // namespace torsor
