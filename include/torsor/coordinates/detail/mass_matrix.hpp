#pragma once

#include "torsor/lie/types.hpp"

namespace torsor {

/// Finds x and y with  M x - A^T y = r,  A x = s  for a symmetric mass matrix M, which need not be definite;
/// y of least norm, in units in which the rows of A have the same size. Throws EvaluationError (singular) if
/// the equations do not determine x, or if s contradicts redundant rows. NaN if a term is not finite.
void solve_saddle_point(const Eigen::MatrixXd& M, const Eigen::MatrixXd& A, VecIn r, VecIn s, VecOut x,
                        VecOut y);

/// A basis of the directions u with M u = 0, in columns, to rounding in any units of the coordinates. The
/// basis is in echelon form: the first nonzero component of each column is 1, and the other columns have 0 in
/// that row. No columns if M is regular.
Eigen::MatrixXd directions_without_inertia(const Eigen::MatrixXd& M);

/// Throws EvaluationError (callback_failed) if a metric, which a user's function computes, is not symmetric to
/// rounding.
void check_symmetric(const Eigen::MatrixXd& metric);

}  // namespace torsor
