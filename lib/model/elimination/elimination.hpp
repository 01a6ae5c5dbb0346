#pragma once

#include <utility>
#include <vector>

#include "joint_coordinates.hpp"
#include "model/kkt.hpp"

namespace torsor::model_detail {

/// Nodes of the graph in the order of their elimination: node b < N is body b of N bodies, node N + c is
/// constraint c. `later[k]` lists the neighbours of node[k] that are eliminated after it, as ascending
/// indices into `node`.
struct EliminationOrder {
  std::vector<int> node;
  std::vector<std::vector<int>> later;
};
/// The two bodies of each of the `pairs` are neighbours too. With `coordinates`, the bodies of a path are
/// neighbours of each other and of the constraints on the body at its end; the joints of these bodies must
/// not be in the graph.
EliminationOrder elimination_order(const KktGraph& graph, const std::vector<std::pair<int, int>>& pairs,
                                   const JointCoordinates* coordinates);

/// The elimination as data: where the numbers of each pivot are stored and where its updates go. A pivot of k
/// unknowns owns k rows of numbers: its k x k diagonal block, and to the right of it a panel with the columns
/// of the later neighbours side by side. A constraint of more than six rows becomes several nodes.
struct Elimination {
  struct Part {          // the columns of a panel that belong to one neighbour
    int place;           // index of the neighbour in `pivots`
    int row, size;       // its first unknown and its number of unknowns
    int constraint_row;  // first row of the neighbour if it is a constraint, else -1
  };
  /// The part of an update that is contiguous in the panel and in the rows of one later pivot.
  struct Update {
    long to;
    int stride, rows, columns;
    int row, column;           // in the panel
    int part_begin, part_end;  // the parts that have the columns
    int sign;                  // product over both pivots: -1 if one is a body and the other is a constraint
    bool diagonal;  // begins with the diagonal block of the later pivot: its lower triangle is enough
  };
  struct Pivot {
    int node, row, size, width;
    int stride;  // size + width
    int sign;    // +1 body, -1 constraint
    long diagonal, panel;
    int part_begin, part_end, update_begin, update_end;
    bool pair, pair_end;  // this pivot is the first, or the second, of a Pair
    bool fresh;           // only pairs update its diagonal; the first pair that needs it reads it from G
    bool free;            // the diagonal of a body is its inertia, since no pivot updates it
  };
  /// A body with one joint left, and this joint, which has at most one other body, as in trees. The two are
  /// eliminated in one step.
  struct Pair {
    int body, parent, rows, constraint_row;
    int row, joint_row, parent_row;  // first unknown of the body, the joint and the parent
    long body_block, parent_block;   // where the blocks start in A; parent_block -1: no parent
    long diagonal, parent_diagonal;  // in the factor, where the parts of a pair are contiguous
    int parent_stride;
    bool reads_metric, parent_metric;  // whether the diagonal (body, parent) is still G
    int copied;  // index of the pivot up to which numbers are copied in before; -1: the pair copies its own
  };
  /// Consecutive pivots: first pairs, then pivots that are not in pairs.
  struct Run {
    int pair_begin, pair_end, pivot_begin, pivot_end;
  };
  /// Where a block of rows and columns is stored. One node has its rows and another its columns. The panel of
  /// the node that is eliminated first stores the block, transposed if this is the node of the columns.
  struct Entry {
    long to;
    int stride, rows;
    int sign;  // of the pivot whose panel stores the block
    bool transposed;
    bool copied;  // false: a pair reads the block from A
  };

  /// The diagonal blocks of bodies are inertias.
  explicit Elimination(const KktGraph& graph) : Elimination(graph, nullptr) {}
  /// `pairs`: the pairs of bodies that have a block of their own; the diagonal blocks of bodies are then any
  /// matrices.
  Elimination(const KktGraph& graph, const std::vector<std::pair<int, int>>* pairs)
      : Elimination(graph, pairs, nullptr) {}
  /// The joints of bodies with joint coordinates are left out. Rows keep their numbers.
  Elimination(const KktGraph& graph, const JointCoordinates& joints) : Elimination(graph, nullptr, &joints) {}
  /// The place of the block that has the rows of one node and the columns of another.
  Entry between(int row_node, int column_node) const;
  /// First row of a constraint; 0 for a body.
  int first_row(const Pivot& pivot) const {
    return pivot.node < bodies ? 0 : constraint_row[pivot.node - bodies];
  }

  /// Index of the last pivot that the pivot at `place` updates; its own if there is none.
  int last_updated(int place) const {
    const Pivot& pivot = pivots[place];
    return pivot.part_begin < pivot.part_end ? parts[pivot.part_end - 1].place : place;
  }

  int bodies, rows, unknowns, widest = 0;
  bool coordinates;  // whether some bodies have joint coordinates
  long size = 0, cost = 0;
  std::vector<Pivot> pivots;
  std::vector<Pair> pairs;  // in elimination order
  std::vector<Run> runs;
  std::vector<Part> parts;
  std::vector<int> part_column;  // first column of each part in its panel
  std::vector<Update> updates;
  std::vector<Entry> entries;  // of the blocks of A, in their order; without those of bodies with coordinates
  std::vector<int> copies;     // the blocks that are copied, in the order of the pivots that own them
  std::vector<Entry> pair_entries;  // of the blocks (a, b) of the pairs of bodies
  std::vector<int> row_of_node;     // first unknown of each node, in ascending order
  std::vector<int> place_of_node;   // index of each node in `pivots`
  std::vector<int> block_begin;     // first block of each constraint, then the number of blocks
  std::vector<int> block_body;      // body of each block
  std::vector<long> block_value;    // where each block starts in A
  std::vector<int> constraint_row;  // first row of each constraint, then the number of rows

 private:
  Elimination(const KktGraph& graph, const std::vector<std::pair<int, int>>* pairs,
              const JointCoordinates* joints);
  KktGraph number_rows(const KktGraph& graph, const JointCoordinates* joints);
  void place_pivots(const KktGraph& graph, const EliminationOrder& order, const JointCoordinates* joints);
  void place_updates(const EliminationOrder& order);
  void pair_up(const EliminationOrder& order);
  void place_entries();
  void place_copies();
  void place_pairs(const EliminationOrder& order);
  void place_runs();
};

/// out += A^T y
void add_reaction(const Elimination& plan, const double* A, const double* y, double* out);
/// out = A x
void rows_times(const Elimination& plan, const double* A, const double* x, double* out);

}  // namespace torsor::model_detail
