#pragma once

#include <utility>
#include <vector>

#include "elimination.hpp"

namespace torsor::model_detail {

/// Numbers of one factorisation of [ M  B^T ; C  0 ], unsymmetric, along an elimination. Of each pivot K_kk:
/// on the diagonal its inverse; in the panel of `upper` inverse K_kn, in that of `lower` K_nk^T, n its later
/// neighbours.
class NewtonFactor {
 public:
  using Pairs = std::vector<std::pair<int, int>>;

  NewtonFactor(const Elimination& plan, const Pairs& pairs);
  /// As in NewtonSolver, with B not negated.
  void factor(const double* M_diagonal, const double* M_pairs, const double* B, const double* C);
  /// b of all unknowns becomes the solution.
  void solve(double* b) const;

  const std::vector<char>& redundant() const { return redundant_; }
  double growth() const { return growth_; }
  int growth_row() const { return growth_row_; }

 private:
  using Pivot = Elimination::Pivot;

  void copy_in(const double* M_diagonal, const double* M_pairs, const double* B, const double* C);
  void add_block(const Elimination::Entry& entry, const double* block, const double* mirrored);
  void invert_body(double* P) const;
  void invert_constraint(const Pivot& pivot, double* P);
  void sweep(int n, int at, double* P) const;
  void add_updates(const Pivot& pivot);

  const Elimination* plan_;
  const Pairs* pairs_;
  std::vector<double> upper_, lower_, panel_;
  std::vector<double> size_, doubt_;  // of rows, as in BlockFactor
  std::vector<char> redundant_;
  double growth_ = 1;
  int growth_row_ = -1;
};

}  // namespace torsor::model_detail
