#pragma once

#include <vector>

#include "model/elimination/newton_solver.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor::mechanics {

/// The tangent of a mechanism in absolute form, in blocks of bodies and rows. It includes gyroscopic terms,
/// forces, curvature of the constraints and the derivative of exp. Derivatives of forces and rows are forward
/// differences, taken for all links of a group at once.
class AbsoluteTangent final : public Tangent {
 public:
  /// Keeps a reference to the system, which must be in absolute form and live longer.
  explicit AbsoluteTangent(const MechanismSystem& system);

  void factor(const Linearisation& at) override;
  void solve(VecIn r, VecIn rows, VecOut da, VecOut dl) override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override {
    system_.metric_times(t, q, w, out);
  }

 private:
  void put_dynamics(int group, int k);
  void put_rows(int group, int k, std::vector<double>& blocks) const;

  const MechanismSystem& system_;
  NewtonSolver solver_;
  std::vector<std::vector<int>> groups_;  ///< of links that act on no common link or row
  std::vector<int> group_of_;
  std::vector<double> diagonal_, between_, B_, C_;
  Vec unit_, xi_, column_, r_, r_next_, v_next_, row_, psi_, psi_next_, s_scaled_, r_padded_, x_padded_,
      q_next_;
  double c_row_ = 1;
};

}  // namespace torsor::mechanics
