#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "model/body_space.hpp"
#include "torsor/model/constraints.hpp"
#include "torsor/model/forces.hpp"

namespace torsor::mechanics {

/// The equations of all bodies of a model at one instant (t, q, v): kinematics, metric G_B, loads W, and the
/// rows A_B of all joints and constraints. Velocities V and wrenches W have 6 numbers for each link
/// (model/body_space.hpp).
///
/// All functions refer to the instant of the last `evaluate`. An object keeps references to the model and the
/// forces.
class BodyEquations {
 public:
  BodyEquations(const Model& model, const Forces& forces);

  /// Computes kinematics and rows at (t, q, v), unless the last evaluation was at the same (t, q, v).
  void evaluate(double t, VecIn q, VecIn v);
  /// The same at (t, q), for functions that do not depend on velocities.
  void evaluate(double t, VecIn q);

  double t() const { return t_; }
  const Vec& q() const { return q_; }
  /// A count that changes whenever (t, q) changes.
  long place() const { return place_; }

  const Model& model() const { return model_; }
  const Constraints& constraints() const { return constraints_; }
  const Workspace<double>& kinematics() const { return work_; }
  /// phi, a0, gamma and the blocks of A_B, over all rows.
  const ConstraintValues& rows() const { return values_; }
  /// The block of an item and its link number k: row-major, rows x 6.
  const double* block(const Constraints::Item& item, std::size_t k) const {
    return values_.blocks.data() + constraints_.block_offset()[item.block_begin + k];
  }

  /// The rows of an item in A_B V.
  void rows_times(const Constraints::Item& item, const Vec& V, double* out) const {
    std::fill_n(out, item.rows, 0.);
    for (std::size_t k = 0; k < item.links.size(); ++k) {
      const double* J = block(item, k);
      const Vector<double, 6> V_k = V.segment<6>(6 * item.links[k]);
      for (int row = 0; row < item.rows; ++row, J += 6)
        out[row] += Eigen::Map<const Vector<double, 6>>(J).dot(V_k);
    }
  }
  /// One of these rows. `row` counts within the item.
  double row_times(const Constraints::Item& item, int row, const Vec& V) const;
  /// The sum of the absolute values of the terms of this row.
  double row_terms(const Constraints::Item& item, int row, const Vec& V) const;
  /// The wrench J_k^T lambda of an item on its link number k, where J_k is the block of that link; `lambda`
  /// has one number for each row of the item.
  Vector<double, 6> wrench_on(const Constraints::Item& item, std::size_t k, const double* lambda) const;

  /// The blocks of G_B, 36 numbers for each link. The angular block of a particle is the identity, as
  /// KktSolver requires.
  const std::vector<double>& metric();
  /// out = G_B V; 0 in the angular components of particles.
  void times_metric(const Vec& V, Vec& out) const;
  enum class Terms { applied, applied_and_gyroscopic };
  /// W: the loads, with or without the gyroscopic terms.
  void loads(Terms terms, Vec& W);
  /// The power of the loads that do not derive from a potential, in watts.
  double load_power() const { return forces_.power(t_, q_, v_, work_); }
  /// out = J' v, with V = J v: the accelerations of the bodies if the joint accelerations are 0.
  void bias(Vec& out);
  /// The joint accelerations for the accelerations V of the bodies; V loses its bias.
  void joint_accelerations(Vec& V, VecOut a) { torsor::joint_accelerations(model_, work_, v_, V, a); }

  /// The rounding error of the accelerations of the bodies, for the multipliers y of all rows. Returns the
  /// link with the greatest error.
  int acceleration_rounding(const Vec& y, Vec& V);

 private:
  struct Inertia {
    double mass;
    Mat3 inertia;
    bool particle;
  };

  bool is_at(double t, VecIn q) const;

  const Model& model_;
  const Forces& forces_;
  Constraints constraints_;
  Workspace<double> work_;
  Loads<double> loads_;
  ConstraintValues values_;
  std::vector<Inertia> inertia_;  ///< over links
  std::vector<double> metric_;
  Vec squares_;  ///< sums of squares of forces and torques
  Vec zero_;

  double t_ = std::numeric_limits<double>::quiet_NaN();
  Vec q_, v_;
  long place_ = 0, feedback_version_ = 0;
};

}  // namespace torsor::mechanics
