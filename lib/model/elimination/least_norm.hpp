#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "block_factor.hpp"
#include "elimination.hpp"

namespace torsor::model_detail {

/// The multipliers z of least norm sum (w_i z_i)^2 that have given reactions A^T z = f. With W = diag(w),
/// they are
///
///   z = W^-2 A u,   (delta D + A^T W^-2 A) u = f,   delta -> 0.
///
/// D is 1 for the linear part of a body and the square of `length` for its angular part, so that z does not
/// depend on the unit of length, however large the mechanism is.
/// The matrix has one 6x6 block for each body and for each pair of bodies with a common constraint, so its
/// factor is much smaller than that of the saddle-point equations. delta > 0 makes the matrix positive
/// definite; A^T z then differs from f by the fraction delta / sigma^2, sigma the singular values of
/// W^-1 A D^-1/2.
/// This difference is the right-hand side of the next pass. A constraint on more than two bodies would fill
/// the matrix. It stays a constraint, with the rows A u - W^2 z = 0.
class LeastNorm {
 public:
  LeastNorm(const KktGraph& graph, const Elimination& equations);

  /// `A` and `length` as in KktSolver; w > 0, one number for each row.
  void factor(const double* A, const std::vector<double>& w, double length);
  /// Computes z, and replaces f by the rest f - A^T z. Returns false if the passes do not converge.
  bool solve(const double* A, const std::vector<double>& w, double* f, double* z);

 private:
  struct Place {  // of the first number of a block in the factor
    long to;
    int stride;
  };
  struct Narrow {  // a constraint on one or two bodies
    int row, rows, bodies;
    int body[2], unknown[2];  // first unknown of each body in the plan
    long block[2];            // where the blocks of its bodies start in A
    Place diagonal[2];        // of the bodies
    Place coupled;            // of the block that couples two bodies: its rows are those of body `first`
    int first;
  };
  struct Pass {  // the multipliers so far, what is left of f, and the last change
    double* f;
    double* z;
    const std::vector<double>& w;
    double change = 0, size = 0;
    void add(int row, double dz) {
      z[row] += dz;
      change = std::max(change, std::abs(dz) * w[row]);
      size = std::max(size, std::abs(z[row]) * w[row]);
    }
  };
  void place_narrow(const std::vector<std::pair<int, int>>& pairs);
  template <int K>
  void add_narrow(const Narrow& one, const double* A);
  double greatest_wide(const double* A, double length) const;
  template <int Bodies>
  void correct(const Narrow& one, const double* A, Pass& pass) const;
  void correct_wide(const double* A, Pass& pass) const;

  const Elimination* equations_;
  Elimination plan_;
  BlockFactor factor_;
  std::vector<Narrow> narrow_;
  std::vector<int> wide_row_;  // row in A of each row of plan_
  std::vector<double> regular_, inverse_, work_, inverse_square_;
};

}  // namespace torsor::model_detail
