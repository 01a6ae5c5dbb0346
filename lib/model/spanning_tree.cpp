#include "spanning_tree.hpp"

#include <numeric>
#include <span>
#include <utility>

namespace torsor {
namespace {

/// Bodies and the ground (the last node) as a graph. One flat array holds the joints of each node in their
/// order.
class JointGraph {
 public:
  explicit JointGraph(const Mechanism& mechanism, const std::vector<char>& used)
      : mechanism_(mechanism), begin_(mechanism.bodies.size() + 2, 0) {
    const auto for_each_end = [&](auto&& visit) {
      for (int j = 0; j < static_cast<int>(mechanism.joints.size()); ++j)
        if (used[j])
          for (const int end : {mechanism.joints[j].parent, mechanism.joints[j].child}) visit(node(end), j);
    };
    for_each_end([&](int at, int) { ++begin_[at + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    joints_.resize(begin_.back());
    std::vector<int> next(begin_.begin(), begin_.end() - 1);
    for_each_end([&](int at, int j) { joints_[next[at]++] = j; });
  }

  int node(int body) const { return body == world ? static_cast<int>(mechanism_.bodies.size()) : body; }
  std::span<const int> joints_at(int body) const {
    return {joints_.begin() + begin_[node(body)], joints_.begin() + begin_[node(body) + 1]};
  }
  int across(int joint, int body) const {
    const Joint& j = mechanism_.joints[joint];
    return j.parent == body ? j.child : j.parent;
  }

 private:
  const Mechanism& mechanism_;
  std::vector<int> begin_, joints_;
};

/// Appends `root` and its subtree to the order.
void append_subtree(const JointGraph& graph, TreeStep root, std::vector<TreeStep>& order) {
  std::vector<TreeStep> stack{root};
  while (!stack.empty()) {
    const TreeStep step = stack.back();
    stack.pop_back();
    order.push_back(step);
    const auto joints = graph.joints_at(step.body);
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint)
      if (*joint != step.joint) stack.push_back({graph.across(*joint, step.body), step.body, *joint});
  }
}

/// Connected components of the nodes: union-find with path halving.
class Components {
 public:
  explicit Components(int nodes) : up_(nodes) { std::iota(up_.begin(), up_.end(), 0); }
  /// Connects a and b; false if they were in the same component before.
  bool join(int a, int b) {
    a = root(a), b = root(b);
    up_[a] = b;
    return a != b;
  }

 private:
  int root(int a) {
    while (up_[a] != a) a = up_[a] = up_[up_[a]];
    return a;
  }
  std::vector<int> up_;
};

}  // namespace

std::vector<char> forest_joints(const Mechanism& mechanism, const std::vector<int>& cut) {
  const auto node = [&](int body) {
    return body == world ? static_cast<int>(mechanism.bodies.size()) : body;
  };
  Components components(static_cast<int>(mechanism.bodies.size()) + 1);
  std::vector<char> used(mechanism.joints.size(), true);
  for (const int j : cut) used[j] = false;
  for (std::size_t j = 0; j < used.size(); ++j)
    used[j] = used[j] && components.join(node(mechanism.joints[j].parent), node(mechanism.joints[j].child));
  return used;
}

std::vector<TreeStep> spanning_tree(const Mechanism& mechanism, const std::vector<char>& used) {
  const JointGraph graph(mechanism, used);
  std::vector<TreeStep> order;
  order.reserve(mechanism.bodies.size() + 1);
  append_subtree(graph, {world, world, -1}, order);
  order.erase(order.begin());  // the ground itself
  std::vector<char> placed(mechanism.bodies.size(), false), is_child(mechanism.bodies.size(), false);
  const auto mark_from = [&](std::size_t first) {
    for (std::size_t i = first; i < order.size(); ++i) placed[order[i].body] = true;
  };
  mark_from(0);
  for (std::size_t j = 0; j < used.size(); ++j)
    if (used[j] && mechanism.joints[j].child != world) is_child[mechanism.joints[j].child] = true;
  for (int body = 0; body < static_cast<int>(mechanism.bodies.size()); ++body) {
    if (placed[body] || is_child[body]) continue;
    const std::size_t first = order.size();
    append_subtree(graph, {body, world, -1}, order);
    mark_from(first);
  }
  return order;
}

}  // namespace torsor
