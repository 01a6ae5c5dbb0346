#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "elimination.hpp"

namespace torsor::model_detail {
namespace {

/// Says when a constraint may go. Its row, with the bodies that are left held fast, must be as independent of
/// the rows gone before as it is in the whole mechanism, else its pivot is singular without need: a tree
/// joint waits for its child; a loop for all bodies and tree joints of its cycle below the body from which
/// the cycle hangs (the ground, where the constraint is not one of relative motion).
class Eligibility {
 public:
  explicit Eligibility(const KktGraph& graph)
      : graph_(graph), bodies_(static_cast<int>(graph.parent.size())) {
    joint_.assign(graph.parent.size(), -1);
    depth_.assign(graph.parent.size(), 0);
    up_.resize(graph.parent.size());
    for (int b = 0; b < bodies_; ++b) {
      up_[b] = b;
      depth_[b] = depth(graph.parent[b]) + 1;
    }
    const int constraints = static_cast<int>(graph.constraints.size());
    for (int c = 0; c < constraints; ++c)
      if (graph.constraints[c].tree) joint_[graph.constraints[c].bodies[0]] = c;
    gone_.assign(graph.parent.size() + graph.constraints.size(), 0);
    eligible_.assign(gone_.size(), 0);
    std::fill_n(eligible_.begin(), bodies_, 1);
    waiting_.resize(graph.parent.size());
    hangs_from_.resize(graph.constraints.size());
    for (int c = 0; c < constraints; ++c) {
      hangs_from_[c] = depth(common_ancestor(graph.constraints[c]));
      if (graph.constraints[c].tree)
        waiting_[graph.constraints[c].bodies[0]].push_back(c);
      else
        file(c);
    }
  }

  bool operator[](int node) const { return eligible_[node] != 0; }

  /// To be told of each node that goes; what becomes eligible is appended to `freed`.
  void eliminate(int node, std::vector<int>& freed) {
    gone_[node] = 1;
    const int body = node < bodies_ ? node : of_tree_joint(node - bodies_);
    if (body < 0) return;
    if (node < bodies_ && joint_[body] >= 0) free_joint(body, freed);
    if (!gone_[body] || (joint_[body] >= 0 && !gone_[bodies_ + joint_[body]])) return;
    up_[body] = graph_.parent[body];
    std::vector<int> moved;
    moved.swap(waiting_[body]);
    for (int c : moved)
      if (file(c)) freed.push_back(bodies_ + c);
  }

 private:
  int depth(int body) const { return body < 0 ? -1 : depth_[body]; }
  int of_tree_joint(int c) const { return graph_.constraints[c].tree ? graph_.constraints[c].bodies[0] : -1; }

  void free_joint(int body, std::vector<int>& freed) {
    const int joint = joint_[body];
    std::erase(waiting_[body], joint);
    eligible_[bodies_ + joint] = 1;
    freed.push_back(bodies_ + joint);
  }

  int common_ancestor(const KktGraph::Constraint& constraint) const {
    if (constraint.grounded || constraint.bodies.size() < 2) return -1;
    int a = constraint.bodies[0];
    for (int b : constraint.bodies)
      while (a != b) (depth(a) > depth(b) ? a : b) = graph_.parent[depth(a) > depth(b) ? a : b];
    return a;
  }

  /// The first body above that is not gone together with its joint.
  int top(int body) {
    while (body >= 0 && up_[body] != body) {
      const int next = up_[body];
      if (next >= 0) up_[body] = up_[next];
      body = next;
    }
    return body;
  }

  /// Lets c wait for the first body that keeps it, or makes it eligible.
  bool file(int c) {
    for (int b : graph_.constraints[c].bodies) {
      const int t = top(b);
      if (depth(t) <= hangs_from_[c]) continue;
      waiting_[t].push_back(c);
      return false;
    }
    eligible_[bodies_ + c] = 1;
    return true;
  }

  const KktGraph& graph_;
  int bodies_;
  std::vector<int> joint_, depth_, up_, hangs_from_;
  std::vector<char> gone_, eligible_;
  std::vector<std::vector<int>> waiting_;  // constraints, by the body they wait for
};

class EliminationGraph {
 public:
  explicit EliminationGraph(const KktGraph& graph) : eligible_(graph) {
    const int bodies = static_cast<int>(graph.parent.size());
    near_.resize(graph.parent.size() + graph.constraints.size());
    weight_.assign(near_.size(), 6);
    for (int c = 0; c < static_cast<int>(graph.constraints.size()); ++c) {
      weight_[bodies + c] = graph.constraints[c].rows;
      for (int b : graph.constraints[c].bodies) {
        near_[b].push_back(bodies + c);
        near_[bodies + c].push_back(b);
      }
    }
    for (auto& list : near_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    gone_.assign(near_.size(), 0);
    degree_.resize(near_.size());
    for (int k = 0; k < static_cast<int>(near_.size()); ++k) degree_[k] = degree(k);
    for (int k = 0; k < static_cast<int>(near_.size()); ++k) push(k);
  }

  /// The nodes in order; near(k) is then what node k was tied to when it went.
  std::vector<int> run() {
    std::vector<int> order, freed;
    while (!queue_.empty()) {
      const auto [degree, k] = queue_.top();
      queue_.pop();
      if (gone_[k] || degree != key(k)) continue;
      order.push_back(k);
      gone_[k] = 1;
      for (int n : near_[k]) join(n, k);
      freed.clear();
      eligible_.eliminate(k, freed);
      for (int n : near_[k]) push(n);
      for (int n : freed) push(n);
    }
    return order;
  }
  const std::vector<int>& near(int k) const { return near_[k]; }

 private:
  using Entry = std::pair<long, int>;

  /// No fill before any fill; then the least degree.
  long key(int k) const { return near_[k].size() < 2 ? 0 : degree_[k]; }
  long degree(int k) const {
    long sum = 0;
    for (int n : near_[k]) sum += weight_[n];
    return sum;
  }
  void push(int k) {
    if (eligible_[k] && !gone_[k]) queue_.emplace(key(k), k);
  }
  /// k goes: n is tied to all that k was tied to.
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

  Eligibility eligible_;
  std::vector<std::vector<int>> near_;
  std::vector<int> weight_, scratch_;
  std::vector<long> degree_;
  std::vector<char> gone_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// Children before parents, each subtree in one piece, without recursion.
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

EliminationOrder elimination_order(const KktGraph& graph) {
  EliminationGraph run(graph);
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
