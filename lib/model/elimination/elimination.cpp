#include "elimination.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "kkt_kernels.hpp"

namespace torsor::model_detail {
namespace {

/// The index of the neighbour at `place` in the ascending list `later`. It must be `from` or greater.
std::size_t index_of(const std::vector<int>& later, int place, std::size_t from = 0) {
  const auto begin = later.begin() + static_cast<std::ptrdiff_t>(from);
  const auto found = *begin == place ? begin : std::lower_bound(begin, later.end(), place);
  assert(found != later.end() && *found == place);
  return static_cast<std::size_t>(found - later.begin());
}

}  // namespace

Elimination::Elimination(const KktGraph& graph, const std::vector<std::pair<int, int>>* pairs_of_bodies,
                         const JointCoordinates* joints)
    : bodies(static_cast<int>(graph.parent.size())), coordinates(joints != nullptr) {
  const KktGraph split = number_rows(graph, joints);
  const std::vector<std::pair<int, int>> none;
  const auto& coupled = pairs_of_bodies ? *pairs_of_bodies : none;
  const EliminationOrder order = elimination_order(split, coupled, joints);
  place_pivots(split, order, joints);
  place_updates(order);
  pair_up(order);
  if (pairs_of_bodies)
    for (Pivot& pivot : pivots) pivot.free = false;
  place_entries();
  place_copies();
  place_pairs(order);
  place_runs();
  for (auto [a, b] : coupled) pair_entries.push_back(between(a, b));
}

/// Numbers the rows and blocks. Returns the graph without the joints that define coordinates. In this graph,
/// constraints are split into parts of at most six rows.
KktGraph Elimination::number_rows(const KktGraph& graph, const JointCoordinates* joints) {
  KktGraph split;
  split.parent = graph.parent;
  rows = 0;
  long value = 0;
  std::vector<int> first_part;  // over the constraints of `graph`; -1: the constraint defines coordinates
  for (int c = 0; c < static_cast<int>(graph.constraints.size()); ++c) {
    const KktGraph::Constraint& constraint = graph.constraints[c];
    const bool defines = joints && joints->has_joint(graph, c);
    first_part.push_back(defines ? -1 : static_cast<int>(split.constraints.size()));
    for (int first = 0; first < constraint.rows && !defines; first += 6) {
      split.constraints.push_back(constraint);
      split.constraints.back().rows = std::min(6, constraint.rows - first);
      auto& moves = split.constraints.back().moves;
      std::erase_if(moves, [&](const std::pair<int, int>& of) {
        return joints && joints->has(of.first) && joints->joint[of.first] != of.second;
      });
      for (auto& [body, joint] : moves) {
        if (joint < 0 || joint >= c)
          throw std::invalid_argument("a constraint that moves a body in a joint must come after this joint");
        joint = first_part[joint];
      }
      constraint_row.push_back(rows + first);
      block_begin.push_back(static_cast<int>(block_body.size()));
      for (std::size_t b = 0; b < constraint.bodies.size(); ++b) {
        block_body.push_back(constraint.bodies[b]);
        block_value.push_back(value + 6L * (static_cast<long>(b) * constraint.rows + first));
      }
    }
    rows += constraint.rows;
    value += 6L * constraint.rows * static_cast<long>(constraint.bodies.size());
  }
  constraint_row.push_back(rows);
  block_begin.push_back(static_cast<int>(block_body.size()));
  return split;
}

void Elimination::place_pivots(const KktGraph& graph, const EliminationOrder& order,
                               const JointCoordinates* joints) {
  const int n = static_cast<int>(order.node.size());
  row_of_node.resize(n);
  place_of_node.resize(n);
  unknowns = 0;
  for (int k = 0; k < n; ++k) {
    Pivot p{};
    p.node = order.node[k];
    if (p.node >= bodies)
      p.size = graph.constraints[p.node - bodies].rows;
    else
      p.size = joints ? joints->freedoms[p.node] : 6;
    p.sign = p.node < bodies ? 1 : -1;
    place_of_node[p.node] = k;
    pivots.push_back(p);
  }
  for (int node = 0; node < n; ++node) {
    Pivot& p = pivots[place_of_node[node]];
    p.row = row_of_node[node] = unknowns;
    unknowns += p.size;
  }
  for (int k = 0; k < n; ++k) {
    Pivot& p = pivots[k];
    p.part_begin = static_cast<int>(parts.size());
    for (int m : order.later[k]) {
      const Pivot& neighbour = pivots[m];
      part_column.push_back(p.width);
      parts.push_back({m, neighbour.row, neighbour.size,
                       neighbour.sign < 0 ? constraint_row[neighbour.node - bodies] : -1});
      p.width += pivots[m].size;
    }
    p.part_end = static_cast<int>(parts.size());
    p.stride = p.size + p.width;
    p.diagonal = size;
    p.panel = size + p.size;
    size += static_cast<long>(p.size) * p.stride;
    widest = std::max(widest, p.width);
    cost += static_cast<long>(p.size) * (p.size + p.width) * (p.size + p.width) / 2;
  }
}

void Elimination::place_updates(const EliminationOrder& order) {
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    Pivot& p = pivots[k];
    p.update_begin = static_cast<int>(updates.size());
    const auto& later = order.later[k];
    for (std::size_t i = 0, row = 0; i < later.size(); row += pivots[later[i++]].size) {
      const Pivot& a = pivots[later[i]];
      std::size_t next = 0;  // first of the neighbours of a that may be the next b
      for (std::size_t j = i, column = row; j < later.size(); column += pivots[later[j++]].size) {
        const Pivot& b = pivots[later[j]];
        Update u{};
        u.row = static_cast<int>(row);
        u.column = static_cast<int>(column);
        u.rows = a.size;
        u.columns = b.size;
        u.part_begin = p.part_begin + static_cast<int>(j);
        u.part_end = u.part_begin + 1;
        u.diagonal = i == j;
        if (!u.diagonal) next = index_of(order.later[later[i]], later[j], next) + 1;
        u.to = u.diagonal ? a.diagonal : a.panel + part_column[a.part_begin + next - 1];
        u.stride = a.stride;
        u.sign = a.sign * p.sign;
        if (j > i && updates.back().to + updates.back().columns == u.to)
          updates.back().columns += u.columns, ++updates.back().part_end;
        else
          updates.push_back(u);
      }
    }
    p.update_end = static_cast<int>(updates.size());
  }
}

void Elimination::pair_up(const EliminationOrder& order) {
  const int n = static_cast<int>(pivots.size());
  std::vector<int> earlier(n, 0);  // number of pivots that update this pivot
  for (const auto& later : order.later)
    for (int m : later) ++earlier[m];
  for (int k = 0; k + 1 < n; ++k) {
    const auto& next = order.later[k + 1];
    const auto body = [this](int at) { return pivots[at].sign > 0 && pivots[at].size == 6; };
    const bool pair = body(k) && pivots[k + 1].sign < 0 && order.later[k].size() == 1 &&
                      order.later[k][0] == k + 1 && earlier[k + 1] == 1 && next.size() <= 1 &&
                      (next.empty() || body(next[0]));
    if (!pair) continue;
    pivots[k].pair = pivots[k].fresh = true;
    pivots[k + 1].pair_end = true;
  }
  for (int k = 0; k < n; ++k)
    if (!pivots[k].pair_end)
      for (int m : order.later[k]) pivots[m].fresh = false;
  for (int k = 0; k < n; ++k) pivots[k].free = pivots[k].sign > 0 && pivots[k].size == 6 && earlier[k] == 0;
}

void Elimination::place_pairs(const EliminationOrder& order) {
  std::vector<char> touched(pivots.size(), 0);
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    if (!pivots[k].pair) continue;
    const Pivot& body = pivots[k];
    const Pivot& joint = pivots[k + 1];
    const int c = joint.node - bodies;
    Pair pair{};
    pair.body = body.node;
    pair.rows = joint.size;
    pair.row = body.row;
    pair.joint_row = joint.row;
    pair.constraint_row = constraint_row[c];
    pair.diagonal = body.diagonal;
    pair.reads_metric = body.fresh && !touched[k];
    pair.parent = pair.parent_block = pair.copied = -1;
    for (int b = block_begin[c]; b < block_begin[c + 1]; ++b)
      (block_body[b] == pair.body ? pair.body_block : pair.parent_block) = block_value[b];
    if (!order.later[k + 1].empty()) {
      const int at = order.later[k + 1][0];
      pair.parent = pivots[at].node;
      pair.parent_row = pivots[at].row;
      pair.parent_diagonal = pivots[at].diagonal;
      pair.parent_stride = pivots[at].stride;
      pair.parent_metric = pivots[at].fresh && !touched[at];
      if (!pivots[at].fresh) pair.copied = at;
      touched[at] = 1;
    }
    pairs.push_back(pair);
  }
}

void Elimination::place_runs() {
  const int n = static_cast<int>(pivots.size());
  for (int k = 0, pair = 0; k < n;) {
    Run run{pair, pair, 0, 0};
    for (; k < n && pivots[k].pair; k += 2) run.pair_end = ++pair;
    run.pivot_begin = k;
    while (k < n && !pivots[k].pair) ++k;
    run.pivot_end = k;
    runs.push_back(run);
  }
}

void Elimination::place_entries() {
  for (int c = 0; c + 1 < static_cast<int>(block_begin.size()); ++c)
    for (int b = block_begin[c]; b < block_begin[c + 1]; ++b)
      entries.push_back(pivots[place_of_node[block_body[b]]].size == 6 ? between(bodies + c, block_body[b])
                                                                       : Entry{});
}

void Elimination::place_copies() {
  for (int b = 0; b < static_cast<int>(entries.size()); ++b)
    if (entries[b].copied) copies.push_back(b);
  std::stable_sort(copies.begin(), copies.end(),
                   [this](int a, int b) { return entries[a].to < entries[b].to; });
}

Elimination::Entry Elimination::between(int row_node, int column_node) const {
  const int of_row = place_of_node[row_node], of_column = place_of_node[column_node];
  const Pivot& row = pivots[of_row];
  const Pivot& first = pivots[std::min(of_row, of_column)];
  const int second = std::max(of_row, of_column);
  const auto begin = parts.begin() + first.part_begin, end = parts.begin() + first.part_end;
  const auto part =
      std::lower_bound(begin, end, second, [](const Part& one, int place) { return one.place < place; });
  assert(part != end && part->place == second);
  Entry entry{};
  entry.to = first.panel + part_column[part - parts.begin()];
  entry.stride = first.stride;
  entry.rows = row.size;
  entry.sign = first.sign;
  entry.transposed = of_column < of_row;
  entry.copied = !row.pair_end;
  return entry;
}

void add_reaction(const Elimination& plan, const double* A, const double* y, double* out) {
  for (std::size_t c = 0; c + 1 < plan.block_begin.size(); ++c)
    for (int b = plan.block_begin[c]; b < plan.block_begin[c + 1]; ++b) {
      const double* block = A + plan.block_value[b];
      double* to = out + 6 * plan.block_body[b];
      auto sum = Row<6>::read(to);
      for (int row = plan.constraint_row[c]; row < plan.constraint_row[c + 1]; ++row, block += 6)
        sum.add<6>(y[row], Row<6>::read(block));
      sum.write(to);
    }
}

void rows_times(const Elimination& plan, const double* A, const double* x, double* out) {
  std::fill_n(out, plan.rows, 0.);
  for (std::size_t c = 0; c + 1 < plan.block_begin.size(); ++c)
    for (int b = plan.block_begin[c]; b < plan.block_begin[c + 1]; ++b) {
      const double* block = A + plan.block_value[b];
      const double* at = x + 6 * plan.block_body[b];
      for (int row = plan.constraint_row[c]; row < plan.constraint_row[c + 1]; ++row, block += 6) {
        double sum = out[row];
        for (int j = 0; j < 6; ++j) sum += block[j] * at[j];
        out[row] = sum;
      }
    }
}

}  // namespace torsor::model_detail
