#pragma once

#include <vector>

#include "elimination.hpp"

namespace torsor::model_detail {

/// A factorisation [ G  A^T ; A  -R ] = L D L^T in the order of an elimination; R is diagonal.
class BlockFactor {
 public:
  explicit BlockFactor(const Elimination& plan);

  /// A row is redundant if its pivot is at most max(tolerance * doubt, its entry of R), see doubt_.
  struct Rules {
    double tolerance = 0;
    const std::vector<double>* regular;            ///< diagonal of R
    const std::vector<double>* redundant_inverse;  ///< inverse pivot of a redundant row
  };
  /// `metric_step` is 36, or 0 if all bodies share one block.
  void factor(const double* G, int metric_step, const double* A, const Rules& rules);
  /// Replaces b by the solution; the unknowns of a node begin at row_of_node.
  void solve(double* b) const;

  const std::vector<char>& redundant() const { return redundant_; }
  const std::vector<double>& row_growth() const { return row_growth_; }
  double growth() const { return growth_; }
  int growth_row() const { return growth_row_; }

 private:
  void copy_in(const double* G, int metric_step, const double* A);
  template <int K>
  void factor_node(const Elimination::Pivot& pivot, struct PivotRule& rule);
  template <int K>
  void factor_constraint(int first, double (&P)[K][K], double (&d)[K], int (&order)[K], PivotRule& rule);
  template <int K>
  void add_updates(const Elimination::Pivot& pivot);
  void forward(double* b) const;
  template <int K>
  void forward_node(const Elimination::Pivot& pivot, double* b) const;
  void backward(double* b) const;
  template <int K>
  void backward_node(const Elimination::Pivot& pivot, double* b) const;

  const Elimination* plan_;
  std::vector<double> values_, panel_;
  /// For each row: the sum of the positive terms of its pivot, and the sum of all its terms, each times the
  /// relative error, in units of eps, of the pivot that the term comes from (1 for a pivot of a body).
  std::vector<double> size_, doubt_;
  std::vector<int> order_;  // order in which the rows of each constraint become pivots
  std::vector<char> redundant_;
  std::vector<double> row_growth_;
  double growth_ = 1;
  int growth_row_ = -1;
};

}  // namespace torsor::model_detail
