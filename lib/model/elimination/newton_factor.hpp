#pragma once

#include <utility>
#include <vector>

#include "elimination.hpp"

namespace torsor::model_detail {

/// One factorisation of the unsymmetric matrix K = [ M  B^T ; C  0 ] along an elimination. For each pivot k
/// with later neighbours n, it stores K_kk^-1 on the diagonal of `upper_`, K_kk^-1 K_kn in the panel of
/// `upper_`, and K_nk^T in the panel of `lower_`.
class NewtonFactor {
 public:
  using Pairs = std::vector<std::pair<int, int>>;

  NewtonFactor(const Elimination& plan, const Pairs& pairs);
  /// The arguments are as in NewtonSolver; B is not negated.
  void factor(const double* M_diagonal, const double* M_pairs, const double* B, const double* C);
  /// b, over all unknowns, becomes the solution.
  void solve(double* b) const;

  const std::vector<char>& redundant() const { return redundant_; }
  double growth() const { return growth_; }
  int growth_row() const { return growth_row_; }

 private:
  using Pivot = Elimination::Pivot;

  void copy_in(const double* M_diagonal, const double* M_pairs, const double* B, const double* C);
  void add_block(const Elimination::Entry& entry, const double* block, const double* mirrored);
  void invert_body(double* P, int stride) const;
  void invert_constraint(const Pivot& pivot, double* P);
  void sweep(int n, int stride, int at, double* P) const;
  void add_updates(const Pivot& pivot);
  void add_sizes(const Pivot& body, const double* V, const double* W, int later_row, int size);
  void add_doubts(const Pivot& constraint, const double* W, int later_row, int size);

  const Elimination* plan_;
  const Pairs* pairs_;
  std::vector<double> upper_, lower_, panel_;
  std::vector<double> size_, doubt_;  // of rows, as in BlockFactor
  std::vector<char> redundant_;
  double growth_ = 1;
  int growth_row_ = -1;
};

}  // namespace torsor::model_detail
