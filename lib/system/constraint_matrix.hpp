#pragma once

#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {

/// The constraint matrix A at (t, q), dense, rows x nv; for small systems only.
inline Eigen::MatrixXd constraint_matrix(const ConstrainedSystem& system, double t, VecIn q) {
  Eigen::MatrixXd A(system.rows(), system.nv());
  Vec unit = Vec::Zero(system.nv()), column(system.rows());
  for (int j = 0; j < system.nv(); ++j) {
    unit[j] = 1;
    system.constraint_times(t, q, unit, column);
    unit[j] = 0;
    A.col(j) = column;
  }
  return A;
}

}  // namespace torsor::mechanics
