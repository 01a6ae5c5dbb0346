#include <algorithm>
#include <climits>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "elimination.hpp"

namespace torsor::model_detail {
namespace {

/// Decides when a constraint may be eliminated. If its rows and the eliminated rows are independent in the
/// whole mechanism, they must also be independent with the remaining bodies held fixed. Otherwise the pivot
/// of the constraint would be singular. Eliminated bodies that eliminated constraints connect form clusters.
/// A cluster that is connected to one remaining body only can follow the motion of this body, so that holding
/// this body fixed does not restrict the cluster; likewise for the ground. A cluster with two such
/// connections cannot follow both.
///
/// The row of a gear is also independent of all eliminated rows if it moves an eliminated body on which only
/// the rows of a joint act, in a freedom of this joint (KktGraph::Constraint::moves). The cluster may then be
/// connected to several remaining bodies.
///
/// A body with joint coordinates is eliminated when all unknowns of its path are. The ground then holds it.
class Eligibility {
 public:
  Eligibility(const KktGraph& graph, const JointCoordinates* coordinates)
      : graph_(graph),
        cluster_(graph.parent.size()),
        held_by_(graph.parent.size()),
        rows_on_(graph.parent.size(), 0),
        done_(graph.constraints.size(), 0),
        gone_(graph.parent.size(), 0),
        unknowns_gone_(gone_),
        waiting_(graph.parent.size()),
        moved_by_(graph.parent.size()),
        paths_(graph.parent.size()) {
    std::iota(cluster_.begin(), cluster_.end(), 0);
    for (int body = 0; body < static_cast<int>(graph.parent.size()); ++body) {
      if (coordinates && coordinates->has(body)) {
        paths_[body] = coordinates->path[body];
        held_by_[body] = {ground};
      } else {
        paths_[body] = {body};
      }
      for (const int on : paths_[body]) moved_by_[on].push_back(body);
    }
  }

  /// The bodies whose unknowns move this body.
  const std::vector<int>& path(int body) const { return paths_[body]; }

  /// Eliminates the unknowns of the body and appends the constraints that waited for them to `awake`.
  void eliminate_body(int body, std::vector<int>& awake) {
    unknowns_gone_[body] = 1;
    for (const int moved : moved_by_[body]) {
      const auto& path = paths_[moved];
      if (!std::all_of(path.begin(), path.end(), [&](int on) { return unknowns_gone_[on]; })) continue;
      gone_[moved] = 1;
      awake.insert(awake.end(), waiting_[moved].begin(), waiting_[moved].end());
      waiting_[moved] = {};
    }
  }

  /// Eliminates constraint c if it is eligible. Otherwise c waits for the bodies that prevent its
  /// elimination, and the result is false.
  bool eliminate_constraint(int c) {
    const auto& constraint = graph_.constraints[c];
    std::vector<int> holds;
    if (constraint.grounded || constraint.bodies.size() < 2) holds.push_back(ground);
    for (int b : constraint.bodies)
      if (gone_[b])
        add(held_by_[cluster(b)], holds);
      else
        add({b}, holds);
    if (holds.size() > 1 && !moves_joint(constraint)) {
      for (int i = 0; i < 2; ++i)
        if (holds[i] >= 0) waiting_[holds[i]].push_back(c);
      return false;
    }
    int root = -1;
    for (int b : constraint.bodies) {
      for (const int on : paths_[b]) ++rows_on_[on];
      if (!gone_[b]) continue;
      const int r = cluster(b);
      if (root < 0) root = r;
      cluster_[r] = root;
      held_by_[r].clear();
    }
    if (root >= 0) held_by_[root] = std::move(holds);
    done_[c] = 1;
    return true;
  }

 private:
  static constexpr int ground = -1;

  static void add(const std::vector<int>& more, std::vector<int>& to) {
    for (int one : more)
      if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
  }

  bool moves_joint(const KktGraph::Constraint& constraint) const {
    return std::any_of(constraint.moves.begin(), constraint.moves.end(), [&](const auto& of) {
      const auto [body, joint] = of;
      if (joint < 0) return unknowns_gone_[body] && rows_on_[body] == 0;
      return gone_[body] && rows_on_[body] == 1 && done_[joint];
    });
  }

  /// Root of the cluster of an eliminated body.
  int cluster(int body) {
    for (int r = body;;) {
      while (cluster_[r] != r) r = cluster_[r] = cluster_[cluster_[r]];
      std::vector<int>& holds = held_by_[r];
      const auto gone = std::find_if(holds.begin(), holds.end(), [&](int h) { return h >= 0 && gone_[h]; });
      if (gone == holds.end()) return r;
      int other = *gone;  // a body that held the cluster is eliminated: merge
      holds.erase(gone);
      while (cluster_[other] != other) other = cluster_[other];
      if (other == r) continue;
      cluster_[r] = other;
      add(std::exchange(holds, {}), held_by_[other]);
    }
  }

  const KktGraph& graph_;
  // Over bodies. cluster_: union-find trees of the eliminated bodies. held_by_: for the root of a cluster,
  // the remaining bodies that the cluster is connected to, or `ground`. rows_on_: the number of eliminated
  // constraints with numbers in the unknowns of the body.
  std::vector<int> cluster_;
  std::vector<std::vector<int>> held_by_;
  std::vector<int> rows_on_;
  std::vector<char> done_;                  // over constraints
  std::vector<char> gone_, unknowns_gone_;  // over bodies
  std::vector<std::vector<int>> waiting_;   // constraints, by the body that they wait for
  std::vector<std::vector<int>> moved_by_;  // the bodies that have the body in their path
  std::vector<std::vector<int>> paths_;     // of bodies without joint coordinates: the body itself
};

/// Number of edges to each node from the nearest grounded constraint. In a part of the mechanism without a
/// grounded constraint, the count starts at the bodies whose parent in the spanning tree is the ground.
std::vector<int> depths(const KktGraph& graph, const std::vector<std::vector<int>>& near) {
  const int bodies = static_cast<int>(graph.parent.size());
  std::vector<int> depth(near.size(), -1), front;
  const auto spread = [&] {
    for (std::size_t at = 0; at < front.size(); ++at)
      for (int n : near[front[at]])
        if (depth[n] < 0) {
          depth[n] = depth[front[at]] + 1;
          front.push_back(n);
        }
    front.clear();
  };
  for (int c = 0; c < static_cast<int>(graph.constraints.size()); ++c)
    if (graph.constraints[c].grounded || graph.constraints[c].bodies.size() < 2) {
      depth[bodies + c] = 0;
      front.push_back(bodies + c);
    }
  spread();
  for (int b = 0; b < bodies; ++b)
    if (graph.parent[b] < 0 && depth[b] < 0) {
      depth[b] = 0;
      front.push_back(b);
    }
  spread();
  return depth;
}

/// Over the nodes, 1 for a foot. A body has a foot if the ground is its parent in the spanning tree and at
/// least two constraints connect the body to other bodies. The foot is the body's first constraint that acts
/// on no other body.
std::vector<char> feet(const KktGraph& graph) {
  const std::size_t bodies = graph.parent.size();
  std::vector<int> others(bodies, 0);
  for (const KktGraph::Constraint& constraint : graph.constraints)
    if (constraint.bodies.size() > 1)
      for (int b : constraint.bodies) ++others[b];
  std::vector<char> foot(bodies + graph.constraints.size(), 0), stands(bodies, 0);
  for (std::size_t c = 0; c < graph.constraints.size(); ++c) {
    const std::vector<int>& on = graph.constraints[c].bodies;
    if (on.size() != 1 || graph.parent[on[0]] >= 0 || stands[on[0]] || others[on[0]] < 2) continue;
    foot[bodies + c] = stands[on[0]] = 1;
  }
  return foot;
}

class EliminationGraph {
 public:
  EliminationGraph(const KktGraph& graph, const std::vector<std::pair<int, int>>& pairs,
                   const JointCoordinates* coordinates)
      : bodies_(static_cast<int>(graph.parent.size())), eligible_(graph, coordinates) {
    near_.resize(graph.parent.size() + graph.constraints.size());
    weight_.assign(near_.size(), 6);
    if (coordinates) std::copy(coordinates->freedoms.begin(), coordinates->freedoms.end(), weight_.begin());
    const auto couple = [this](int a, int b) {
      near_[a].push_back(b);
      near_[b].push_back(a);
    };
    for (int c = 0; c < static_cast<int>(graph.constraints.size()); ++c) {
      weight_[bodies_ + c] = graph.constraints[c].rows;
      for (int b : graph.constraints[c].bodies)
        for (const int on : eligible_.path(b)) couple(bodies_ + c, on);
    }
    for (int b = 0; b < bodies_; ++b)
      for (const int on : eligible_.path(b))
        if (on != b) couple(on, b);
    depth_ = depths(graph, near_);
    foot_ = feet(graph);
    for (auto [a, b] : pairs) couple(a, b);
    gone_.assign(near_.size(), 0);
    degree_.resize(near_.size());
    for (int k = 0; k < static_cast<int>(near_.size()); ++k) {
      std::sort(near_[k].begin(), near_[k].end());
      near_[k].erase(std::unique(near_[k].begin(), near_[k].end()), near_[k].end());
      degree_[k] = degree(k);
      push(k);
    }
  }

  /// Returns the nodes in elimination order. near(k) then lists the neighbours of node k at its elimination.
  std::vector<int> run() {
    std::vector<int> order, awake;
    while (!queue_.empty()) {
      const auto [key_then, depth, k] = queue_.top();
      queue_.pop();
      if (gone_[k]) continue;
      if (key_then != key(k)) {
        if (key_then > key(k)) push(k);  // its neighbours have since become neighbours of each other
        continue;
      }
      if (k >= bodies_ && !eligible_.eliminate_constraint(k - bodies_)) continue;
      order.push_back(k);
      gone_[k] = 1;
      for (int n : near_[k]) join(n, k);
      for (int n : near_[k]) push(n);
      if (k >= bodies_) continue;
      awake.clear();
      eligible_.eliminate_body(k, awake);
      for (int c : awake) push(bodies_ + c);
    }
    return order;
  }
  const std::vector<int>& near(int k) const { return near_[k]; }

 private:
  using Entry = std::tuple<long, int, int>;

  /// Nodes with at most two neighbours whose elimination causes no fill-in come first, then the nodes of
  /// least degree. Among equals, feet come first, then the node farthest from the ground. The reasons for the
  /// last two rules:
  ///
  /// - If the ground and several other bodies hold a body, the rows that are eliminated last are redundant.
  ///   These should not be the rows of the joint to the ground, so that each force takes the shortest path to
  ///   the ground. Otherwise a ladder with a foot at each bar is solved as a cantilever: its multipliers grow
  ///   as N^(3/2).
  /// - From the leaves inwards, pivots are sums of inertias and lose no digits. From the ground outwards,
  ///   pivots are differences of compliances and lose digits with the distance from the ground.
  void push(int k) {
    if (!gone_[k]) queue_.emplace(key(k), foot_[k] ? INT_MIN : -depth_[k], k);
  }
  long key(int k) const {
    const auto& near = near_[k];
    const bool fills =
        near.size() > 2 ||
        (near.size() == 2 && !std::binary_search(near_[near[0]].begin(), near_[near[0]].end(), near[1]));
    return fills ? degree_[k] : 0;
  }
  long degree(int k) const {
    long sum = 0;
    for (int n : near_[k]) sum += weight_[n];
    return sum;
  }
  /// k is eliminated: n becomes a neighbour of all other neighbours of k.
  void join(int n, int k) {
    if (near_[k].size() == 1) {
      near_[n].erase(std::lower_bound(near_[n].begin(), near_[n].end(), k));
      degree_[n] -= weight_[k];
      return;
    }
    scratch_.clear();
    std::set_union(near_[n].begin(), near_[n].end(), near_[k].begin(), near_[k].end(),
                   std::back_inserter(scratch_));
    std::erase_if(scratch_, [&](int m) { return m == n || m == k; });
    near_[n] = scratch_;
    degree_[n] = degree(n);
  }

  int bodies_;
  Eligibility eligible_;
  std::vector<std::vector<int>> near_;
  std::vector<int> weight_, depth_, scratch_;
  std::vector<long> degree_;
  std::vector<char> gone_, foot_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// Nodes with children before parents and each subtree contiguous. Does not recurse.
std::vector<int> postorder(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> first(n + 1, -1), next(n, -1), order, stack;
  for (int k = n - 1; k >= 0; --k) {
    const int p = parent[k] < 0 ? n : parent[k];
    next[k] = first[p];
    first[p] = k;
  }
  const auto descend = [&](int k) {
    for (; k >= 0; k = first[k]) stack.push_back(k);
  };
  descend(first[n]);
  while (!stack.empty()) {
    const int k = stack.back();
    stack.pop_back();
    order.push_back(k);
    descend(next[k]);
  }
  return order;
}

}  // namespace

EliminationOrder elimination_order(const KktGraph& graph, const std::vector<std::pair<int, int>>& pairs,
                                   const JointCoordinates* coordinates) {
  EliminationGraph run(graph, pairs, coordinates);
  const std::vector<int> nodes = run.run();
  const int n = static_cast<int>(nodes.size());
  std::vector<int> place(n), parent(n, -1);
  for (int k = 0; k < n; ++k) place[nodes[k]] = k;
  for (int k = 0; k < n; ++k)
    for (int m : run.near(nodes[k]))
      if (parent[k] < 0 || place[m] < parent[k]) parent[k] = place[m];

  EliminationOrder order;
  for (int k : postorder(parent)) order.node.push_back(nodes[k]);
  for (int k = 0; k < n; ++k) place[order.node[k]] = k;
  order.later.resize(n);
  for (int k = 0; k < n; ++k) {
    for (int m : run.near(order.node[k])) order.later[k].push_back(place[m]);
    std::sort(order.later[k].begin(), order.later[k].end());
  }
  return order;
}

}  // namespace torsor::model_detail
