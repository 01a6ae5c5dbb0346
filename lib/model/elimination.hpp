#pragma once

#include <utility>
#include <vector>

#include "torsor/model/kkt.hpp"

namespace torsor::model_detail {

/// Nodes of the graph in the order of their elimination: 0 .. N-1 the bodies, N + c constraint c; and of each
/// node, by its place in that order, the places of its later neighbours, ascending.
struct EliminationOrder {
  std::vector<int> node;
  std::vector<std::vector<int>> later;
};
/// `pairs` of bodies are tied directly too.
EliminationOrder elimination_order(const KktGraph& graph, const std::vector<std::pair<int, int>>& pairs);

/// The elimination as data: where the numbers of each pivot stand and where its updates go. A pivot of k
/// unknowns owns a k x k diagonal and a panel of k x width, the columns of its later neighbours side by side
/// and one of zeros where that makes the width even. Constraints of more than six rows are several nodes.
struct Elimination {
  struct Part {     // of a panel: the columns of one neighbour
    int row, size;  // its unknowns
  };
  struct Update {
    long to;
    int stride, rows, columns;
    int row, column;  // in the panel
    int sign;
    bool diagonal;
    int constraint_row;  // on the diagonal of a constraint: its first row, else -1
  };
  struct Pivot {
    int node, row, size, width;
    int sign;  // +1 body, -1 constraint
    long diagonal, panel;
    int part_begin, part_end, update_begin, update_end;
    bool pair, pair_end;  // this and the next pivot, or the one before and this, make a Pair
    bool fresh;           // nothing but pairs adds to its diagonal, the first of them to G itself
  };
  /// A body with one joint left, and the joint with one more body or none: the links of trees, both in one
  /// go.
  struct Pair {
    int body, parent, rows, row, parent_row, constraint_row;
    long body_block, parent_block;     // in A; of the parent -1: none
    long diagonal, parent_diagonal;    // in the factor; the parts of a pair stand one after the other
    bool reads_metric, parent_metric;  // that diagonal still is G
  };
  /// Where a block goes: into the panel of the node that goes first, transposed where that is the one of its
  /// columns.
  struct Entry {
    long to;
    int stride, rows;
    bool transposed;
    bool copied;  // pairs read A where it stands
  };

  explicit Elimination(const KktGraph& graph, const std::vector<std::pair<int, int>>& pairs = {});
  /// Of a constraint.
  int first_row(const Pivot& pivot) const {
    return pivot.node < bodies ? 0 : constraint_row[pivot.node - bodies];
  }

  int bodies, rows, unknowns, widest = 0;
  long size = 0, cost = 0;
  std::vector<Pivot> pivots;
  std::vector<Pair> pairs;  // in order
  std::vector<Part> parts;
  std::vector<Update> updates;
  std::vector<Entry> entries;       // of the blocks of A in their order
  std::vector<Entry> pair_entries;  // of the blocks (a, b) of the pairs
  std::vector<int> row_of_node;     // first unknown
  std::vector<int> place_of_node;   // in `pivots`
  std::vector<int> block_begin;     // of each constraint, and one past
  std::vector<int> block_body;      // of each block
  std::vector<long> block_value;    // where it starts in A
  std::vector<int> constraint_row;  // first row, and one past

 private:
  KktGraph number_rows(const KktGraph& graph);
  void place_pivots(const KktGraph& graph, const EliminationOrder& order);
  void place_updates(const EliminationOrder& order);
  void pair_up(const EliminationOrder& order);
  void place_entries(const KktGraph& graph, const EliminationOrder& order);
  void place_pairs(const EliminationOrder& order);
  Entry between(int row_node, int column_node, const EliminationOrder& order) const;
};

}  // namespace torsor::model_detail
