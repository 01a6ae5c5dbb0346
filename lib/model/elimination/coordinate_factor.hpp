#pragma once

#include <utility>
#include <vector>

#include "block_factor.hpp"
#include "coordinate_kernels.hpp"
#include "elimination.hpp"
#include "joint_coordinates.hpp"

namespace torsor::model_detail {

/// A factorisation of the saddle-point equations with joint coordinates. The rows of the joint of a body,
/// with the blocks B of the body and P of its parent, are B x + P x_p = s. With the rows of N orthogonal to
/// B, and B K^T = 1, they hold for
///
///   x = N^T u + K^T (s - P x_p)   with any u,   so x = X u + c over the unknowns u of the path.
///
/// X^T G X, and A X for each other constraint, are added up over the bodies and eliminated by BlockFactor.
/// With the solution x, the multipliers of the joint are y = K (G x - r - f), where f is the sum of the
/// reactions A^T y of the other constraints and of the joints of its children.
///
/// The entries of a X have the rounding errors of a and X, also where they vanish, as in a stretched linkage.
/// So the size of a row a is measured before the reduction: it is the sum of |a|^2 times the greatest |X_j|^2
/// / m_j over its bodies, with |a|^2 = a G^-1 a^T, |X_j|^2 = X_j^T G X_j, and m_j the diagonal of the mass
/// matrix; the positive terms of the pivot are added. The reaction of the row passes the joints of the path,
/// whose rows would add to its doubt the terms of both their bodies, each of about this size. So its doubt is
/// twice the size for each joint.
class CoordinateFactor {
 public:
  struct Body {  // with joint coordinates
    int body, parent, parent_index;
    int row, rows;             // of its joint
    int joints, unknowns;      // of its path
    long block, parent_block;  // where the blocks of its joint start in A
    long K, X;                 // where they are stored
    int unknown;               // index of the first of its unknowns in `unknown_`
    int own;                   // index of the first of its own unknowns in `diagonal_`
    int metric, block_begin, block_end;
    int complete;  // index of the last body that adds numbers to the pivots of its path
  };

  CoordinateFactor(const KktGraph& graph, const JointCoordinates& joints);

  /// Returns false, without a usable factorisation, if the rows of a joint are nearly dependent or if the
  /// pivots of the joint coordinates lose too many digits.
  bool factor(const double* G, const double* A, const BlockFactor::Rules& rules);
  /// One solution without refinement.
  void solve(const double* A, const double* r, const double* s, double* x, double* y) const;
  const BlockFactor& rows() const { return factor_; }
  const Elimination& plan() const { return plan_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  const double* K(const Body& body) const { return K_.data() + body.K; }
  /// The columns of X as rows. The last are the freedoms of the joint.
  const double* X(const Body& body) const { return X_.data() + body.X; }

 private:
  struct Block {             // of another constraint, at most six rows
    int row, unknown, rows;  // its first row and the first unknown of these rows
    long value;              // where it starts in A
    int column;              // index of the first of its columns in `columns_`
  };
  struct Column {  // where a column of A X is added
    long to;
    int step, sign;
  };

  void place_bodies(const KktGraph& graph, const JointCoordinates& joints);
  void find_complete(const JointCoordinates& joints);
  void place_metric(const JointCoordinates& joints, int body);
  void place_blocks(const JointCoordinates& joints, int body, int constraint, long value);
  template <int R>
  bool resolve(const Body& body, const double* A);
  void add_metric(const Body& body, const BodyMetric& metric);
  void add_blocks(const Body& body, const double* A);
  void add_sizes(const Body& body, const BodyMetric& metric, const double* A);
  bool accurate() const;
  void fetch_body(int index, const double* G, const double* A) const;
  template <int R>
  void start_solution(int index, const double* A, const double* r, const double* s, double* x) const;
  template <int R>
  void end_solution(int index, const double* A, const double* r, double* x, double* y) const;

  Elimination plan_;
  BlockFactor factor_;
  std::vector<Body> bodies_;  // parents first
  std::vector<Block> blocks_;
  std::vector<Column> columns_;
  std::vector<int> unknown_;
  std::vector<long> metric_to_;                 // where the lower triangle of X^T G X is added
  std::vector<std::pair<int, long>> diagonal_;  // the unknowns of joints, and where m_j is stored
  std::vector<BodyMetric> metric_;              // over bodies with joint coordinates
  std::vector<double> K_, X_;
  std::vector<double> inverse_mass_;  // over all unknowns: 1 / m_j of the unknowns of joints
  std::vector<double> carried_;       // over all unknowns, see `accurate`
  mutable std::vector<double> work_, f_;
  bool exceeds_cache_;  // whether a factorisation with G and A is larger than the cache
};

}  // namespace torsor::model_detail
