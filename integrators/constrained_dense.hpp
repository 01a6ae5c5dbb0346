#pragma once

#include <Eigen/Cholesky>
#include <limits>

#include "pivoted_qr.hpp"
#include "torsor/integrators/constrained_system.hpp"

namespace torsor {

/// Factors and scratch of the dense defaults.
struct ConstrainedSystem::Dense {
  // G = L L^T, W = L^-1 A^T
  Eigen::MatrixXd metric, w, kkt;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
  PivotedQr rows, newton;
  Vec unit, column, unit_row, p, g, d, y;
  Vec force, bias, lambda, zero, phi, xi, q_next, target, left;
  Vec newton_metric, r, r_next, psi, psi_next, v_next, scale, rhs, solution;
  Vec q;  ///< configuration of the factors; t is their time
  double c_row = 1, t = std::numeric_limits<double>::quiet_NaN();

  void size(int n, int m) {
    for (Vec* v : {&unit, &column, &p, &d, &force, &xi, &r, &r_next, &v_next}) v->resize(n);
    for (Vec* v : {&unit_row, &g, &y, &bias, &lambda, &phi, &psi, &psi_next, &target, &left}) v->resize(m);
    zero.setZero(n);
  }

  void factor_scaled(int n, int m);
};

}  // namespace torsor
