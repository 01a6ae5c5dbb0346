#pragma once

#include <vector>

#include "coordinate_factor.hpp"

namespace torsor::model_detail {

/// The states of self-stress of a mechanism, which are the multipliers n with A^T n = 0. From arbitrary
/// multipliers y, they give the multipliers of least norm sum (w_i y_i)^2 with the same reactions A^T y. With
/// W = diag(w) and the states as the columns of N, these are
///
///   y - N (N^T W^2 N)^-1 N^T W^2 y.
///
/// There is one state for each redundant row: 1 in this row, and the coefficients of the elimination in the
/// other rows of the same constraint. The multipliers of the joints on the paths to the ground balance these
/// reactions, from the outer body to the ground. A state is found in this way only if the row depends on its
/// own constraint and on these joints alone, as in planar and in spherical loops; LeastNorm applies to all
/// mechanisms. N^T W^2 N couples the constraints whose paths share a joint.
class SelfStress {
 public:
  explicit SelfStress(const CoordinateFactor& equations);

  /// Whether N and N^T W^2 N have so few numbers for each body that they cost less than LeastNorm.
  bool sparse() const { return sparse_; }
  /// After a factorisation of the equations with `redundant_rows`. Returns false if not all states are found.
  bool factor(const double* A, const std::vector<double>& w, int redundant_rows);
  /// Changes y to the multipliers of least norm.
  void reduce(const std::vector<double>& w, double* y);

 private:
  struct Place {  // a body on the paths of a constraint, with the rows of its joint
    int body;     // index in CoordinateFactor::bodies
    int parent;   // place of its parent; -1: the ground
    int first;    // number of rows of the constraint and of the joints before this one
  };
  struct Block {  // of the constraint
    int place;
    long value;  // where it starts in A
  };
  struct Coupled {  // a joint that is also on the paths of an earlier constraint
    int loop, first, first_of_earlier, rows;
  };
  struct Loop {  // a constraint between bodies with joint coordinates
    int constraint, row, rows;
    int place_begin, place_end, block_begin, block_end, coupled_begin, coupled_end;
    int earliest;             // the first constraint with a coupled joint, or itself
    int row_begin, all_rows;  // its rows and those of the joints in `row_`
    int states, unknown;      // of the present factorisation
    long number;              // where its states begin in `states_`: for each row, its numbers in all states
  };

  void place(Loop& loop, const std::vector<int>& index_of_body);
  void couple(int at);
  bool find_states(const Loop& loop, const double* A, const std::vector<double>& w);
  bool balance(const Loop& loop, const double* A);
  template <int K>
  void add_products(const Loop& loop);
  bool factor_products();
  void solve_products();
  /// A row of the lower triangle, by columns.
  double* row(int i) { return lower_.data() + row_at_[i] - first_[i]; }

  const CoordinateFactor* equations_;
  bool sparse_ = true;
  std::vector<Loop> loops_;
  std::vector<Place> places_;
  std::vector<Block> blocks_;
  std::vector<Coupled> coupled_;
  std::vector<int> row_;          // the number of each row in the equations
  std::vector<double> states_;    // W N
  std::vector<Row<6>> reaction_;  // on the bodies on the paths of one constraint
  std::vector<double> state_;     // of one constraint
  // N^T W^2 N = L D L^T: each row of the lower triangle from its first number that is not zero
  std::vector<double> lower_, c_;
  int unknowns_ = 0;
  std::vector<int> first_;
  std::vector<long> row_at_;
};

}  // namespace torsor::model_detail
