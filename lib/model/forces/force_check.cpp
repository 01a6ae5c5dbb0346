#include "force_check.hpp"

#include <string>
#include <unordered_set>
#include <variant>

#include "force_kind.hpp"
#include "torsor/model/forces.hpp"

namespace torsor {

void ForceCheck::reject(const std::string& reason) {
  reasons_.push_back({force_part(index_), {}, "force \"" + mechanism_.forces[index_].name + "\": " + reason});
}

void ForceCheck::check_body(int index) {
  require(index == world || (index >= 0 && index < static_cast<int>(mechanism_.bodies.size())),
          "no body with index " + std::to_string(index));
}

void ForceCheck::check_point(const BodyPoint& point) {
  check_body(point.body);
  require(point.p.allFinite(), "a point is not finite");
  require(point.node >= -1, "no node with index " + std::to_string(point.node));
  if (point.node >= 0) check_node(point);
  if (is_particle(point.body))
    require(point.p.isZero(0), "the point on the particle \"" + mechanism_.bodies[point.body].name +
                                   "\" is not the particle itself");
}

void ForceCheck::check_node(const BodyPoint& point) {
  if (point.body == world) return reject("the ground has no nodes");
  if (point.body < 0 || point.body >= static_cast<int>(mechanism_.bodies.size())) return;
  const auto& nodes = mechanism_.bodies[point.body].nodes;
  if (point.node >= static_cast<int>(nodes.size()))
    return reject("no node with index " + std::to_string(point.node));
  require(point.p == nodes[point.node].p,
          "the point on the node \"" + nodes[point.node].name + "\" is not the node itself");
}

bool ForceCheck::is_particle(int index) const {
  return index >= 0 && index < static_cast<int>(mechanism_.bodies.size()) &&
         mechanism_.bodies[index].particle;
}

Reasons why_forces_invalid(const Mechanism& mechanism) {
  Reasons reasons;
  std::unordered_set<std::string> names;
  for (int i = 0; i < static_cast<int>(mechanism.forces.size()); ++i) {
    const std::string& name = mechanism.forces[i].name;
    ForceCheck at(mechanism, i, reasons);
    at.require(name.empty() || names.insert(name).second, "the name is taken twice");
    with_kind(mechanism.forces[i], [&](const auto& kind, const auto& law) { kind.check(law, at); });
  }
  return reasons;
}

void read_law(const LawTable& table, Force& force) { read_alternative(table, force.law); }

}  // namespace torsor
