#pragma once

#include <memory>

#include "torsor/integrators/constrained_system.hpp"

namespace torsor {

/// The tangent of any constrained system as a dense matrix, with derivatives by forward differences; for
/// small systems. Refers to the system.
class DenseTangent final : public Tangent {
 public:
  explicit DenseTangent(const ConstrainedSystem& system);
  ~DenseTangent() override;

  void factor(const Linearisation& at) override;
  void solve(VecIn r, VecIn s, VecOut da, VecOut dl) override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override {
    system_.metric_times(t, q, w, out);
  }

 private:
  void force_at(const Linearisation& at, const Vec& v, Vec& out);
  void column(const Linearisation& at, int j);
  void factor_scaled();

  const ConstrainedSystem& system_;
  struct Matrix;
  std::unique_ptr<Matrix> matrix_;
  Vec unit_, unit_row_, column_, row_, force_, force_next_, xi_, q_next_, v_next_;
  Vec r_, r_next_, psi_, psi_next_;  ///< residuals at the point and beside it
  Vec metric_, scale_, rhs_, solution_;
  double c_row_ = 1;
};

}  // namespace torsor
