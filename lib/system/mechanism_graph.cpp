#include "mechanism_scratch.hpp"

namespace torsor::sim {
namespace {

/// Whether a constraint resists a common rigid motion of its bodies.
bool grounded(const Constraint& constraint) {
  return std::holds_alternative<VelocityLaw>(constraint.law) ||
         std::holds_alternative<UserConstraint>(constraint.law);
}

}  // namespace

KktGraph graph_of(const Model& model, const Constraints& constraints) {
  KktGraph graph;
  graph.parent = model.span_parent;
  for (const Constraints::Item& item : constraints.items()) {
    KktGraph::Constraint node{item.rows, item.links};
    if (item.constraint >= 0) node.grounded = grounded(model.mechanism().constraints[item.constraint]);
    graph.constraints.push_back(std::move(node));
  }
  return graph;
}

}  // namespace torsor::sim
