#pragma once

#include <cstddef>
#include <vector>

#include "elimination.hpp"

namespace torsor::model_detail {

struct PivotRule;

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
  void factor(const double* G, const double* A, const Rules& rules) { factor(G, A, rules, nullptr); }
  /// The same; also does the first half of the solution for b, as `forward`, in the same pass over the
  /// numbers.
  void factor(const double* G, const double* A, const Rules& rules, double* b);

  /// Sets the matrix to zero, except the blocks of A. The caller adds the other blocks to `numbers`, in the
  /// places that the plan names, and then calls `factor_numbers`. The plan must have no `pairs`, and no
  /// `fresh` or `free` pivots.
  void start(const double* A);
  std::vector<double>& numbers() { return values_; }
  const std::vector<double>& numbers() const { return values_; }
  void factor_numbers(const Rules& rules) { factor(nullptr, nullptr, rules); }

  /// For plans with joint coordinates: sets the matrix to zero. The caller adds the numbers of the unknowns
  /// of joints to `numbers`, and their terms to the sizes of rows, and then calls `factor`, which adds the
  /// other numbers.
  void clear();
  /// For row i of the constraint that begins at row `first`.
  void add_size(int first, int i, double size, double doubt) {
    size_[first + i] += size;
    doubt_[6 * first + 7 * i] += doubt;
  }

  /// Replaces b by the solution; the unknowns of a node begin at row_of_node.
  void solve(double* b) const { forward(b), backward(b); }
  /// The halves of `solve`.
  void forward(double* b) const;
  void backward(double* b) const;

  /// The row of a constraint that has become its pivot at `step`.
  int pivot_row(const Elimination::Pivot& constraint, int step) const {
    return order_[plan_->first_row(constraint) + step];
  }
  /// The row of L^-1 at `step` within the diagonal block of a constraint: the coefficients v with which the
  /// rows of the constraint form this pivot.
  void combination(const Elimination::Pivot& constraint, int step, double* v) const;

  const std::vector<char>& redundant() const { return redundant_; }
  const std::vector<double>& row_growth() const { return row_growth_; }
  double growth() const { return growth_; }
  int growth_row() const { return growth_row_; }

 private:
  struct Copied {
    int pivots = 0;
    std::size_t blocks = 0;
  };
  void clear_sizes(const Elimination::Pivot& pivot);
  void copy_in(int last, const double* G, const double* A, Copied& copied);
  template <int M>
  void factor_pair_of(const Elimination::Pair& pair, PivotRule& rule, const double* G, const double* A);
  template <int K>
  void factor_node(const Elimination::Pivot& pivot, PivotRule& rule);
  void factor_body(const Elimination::Pivot& pivot, PivotRule& rule);
  template <int K>
  void factor_joint(const Elimination::Pivot& pivot, PivotRule& rule);
  template <int K>
  void factor_constraint(const Elimination::Pivot& pivot, PivotRule& rule);
  template <int K, int Unit = 0>
  void reduce_panel(const Elimination::Pivot& pivot, const double (&L)[K][K], const double (&d)[K],
                    const int* order);
  template <int K>
  void add_sizes(const Elimination::Pivot& pivot);
  template <int K, int Step>
  double doubt_of(int first, const double (&L)[K][K]) const;
  template <int K>
  void add_updates(const Elimination::Pivot& pivot);
  template <int K, bool Subtract>
  void add_update(const Elimination::Pivot& pivot, const Elimination::Update& update);
  template <int K>
  void add_doubts(const Elimination::Pivot& pivot, const double (&L)[K][K]);
  template <int M>
  void forward_pair_of(const Elimination::Pair& pair, double* b) const;
  template <int K>
  void forward_node(const Elimination::Pivot& pivot, double* b) const;
  template <int K>
  void backward_node(const Elimination::Pivot& pivot, double* b) const;

  const Elimination* plan_;
  std::vector<double> values_, panel_;
  /// size_: for each row, the sum of the positive terms of its pivot. doubt_: for each constraint, the lower
  /// triangle (stride 6) of a matrix F, which estimates the rounding errors of its diagonal block, divided by
  /// eps. F is the sum of the terms of the block and of the doubts of the constraints that were eliminated
  /// before; these enter as T^T F T, where T is a combination of their rows, with its signs. (An upper bound
  /// by sums of squares would grow geometrically along a ladder of loops.)
  std::vector<double> size_, doubt_;
  std::vector<int> order_;  // order in which the rows of each constraint become pivots
  std::vector<char> redundant_;
  std::vector<double> row_growth_;
  double growth_ = 1;
  int growth_row_ = -1;
};

}  // namespace torsor::model_detail
