#include "event_function.hpp"

#include <array>
#include <stdexcept>

#include "model/declared_joint.hpp"
#include "model/forces/feedback.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {
namespace {

bool of_joint(const EventSpec& spec) {
  return spec.quantity == EventSpec::Quantity::joint_coordinate ||
         spec.quantity == EventSpec::Quantity::joint_rate;
}
bool of_rate(const EventSpec& spec) {
  return spec.quantity == EventSpec::Quantity::joint_rate ||
         spec.quantity == EventSpec::Quantity::point_velocity;
}

[[noreturn]] void refuse(const EventSpec& spec, const std::string& why) {
  throw std::invalid_argument("event \"" + spec.name + "\": " + why);
}

void check(const EventSpec& spec, const Mechanism& mechanism) {
  if (spec.quantity == EventSpec::Quantity::coordinate || spec.quantity == EventSpec::Quantity::rate)
    refuse(spec, "a mechanism has no such quantity");
  for (const TimeFunction* const function : {&spec.expression, &spec.value})
    if (const std::string why = why_function_invalid(*function, mechanism); !why.empty()) refuse(spec, why);
  if (spec.quantity == EventSpec::Quantity::expression) return;
  if (of_joint(spec)) {
    if (spec.joint < 0 || spec.joint >= static_cast<int>(mechanism.joints.size()))
      refuse(spec, "there is no joint " + std::to_string(spec.joint));
    const Joint& joint = mechanism.joints[spec.joint];
    const int count = of_rate(spec) ? freedom_count(joint.kind) : coordinate_count(joint.kind);
    if (spec.coordinate < 0 || spec.coordinate >= count)
      refuse(spec, "joint \"" + joint.name + "\" has no coordinate " + std::to_string(spec.coordinate));
  } else {
    if (spec.point.body < world || spec.point.body >= static_cast<int>(mechanism.bodies.size()))
      refuse(spec, "there is no body " + std::to_string(spec.point.body));
    if (!spec.direction_W.allFinite()) refuse(spec, "the direction is not finite");
    if (spec.direction_W.isZero(0)) refuse(spec, "the direction is zero");
  }
}

/// Sets the state of the tree to x, for functions of the state.
void set_state(const TreeSystem& tree, const State& x) {
  const Model& model = tree.model();
  if (const OwnStates* const states = tree.own_states()) states->set(x.v.tail(states->count()));
  forward_kinematics(model, x.q.head(model.nq()), x.v.head(model.nv()), tree.workspace());
}

/// The value of a function at a state.
double value_of(const TimeFunction& function, const TreeSystem& tree, double t, const State& x) {
  if (!function.of_state()) return function(t);
  const Model& model = tree.model();
  set_state(tree, x);
  return tree.forces().feedback().value(function, t, x.q.head(model.nq()), x.v.head(model.nv()),
                                        tree.workspace());
}

int kinks_of(const TimeFunction& function) { return function.of_state() ? function.of_state()->kinks : 0; }

double joint_quantity(const EventSpec& spec, const TreeSystem& tree, const State& x) {
  const Model& model = tree.model();
  const auto q = x.q.head(model.nq()), v = x.v.head(model.nv());
  if (model.link_of_joint[spec.joint] < 0) forward_kinematics(model, q, v, tree.workspace());
  const DeclaredMotion joint = declared_motion(model, spec.joint, q, v, tree.workspace());
  return of_rate(spec) ? joint.v[spec.coordinate] : joint.q[spec.coordinate];
}

double point_quantity(const EventSpec& spec, const TreeSystem& tree, const State& x) {
  const Model& model = tree.model();
  forward_kinematics(model, x.q.head(model.nq()), x.v.head(model.nv()), tree.workspace());
  const PointMotion point = point_motion(model, tree.workspace(), spec.point);
  return spec.direction_W.dot(of_rate(spec) ? point.v : point.x);
}

}  // namespace

Event event_of(const EventSpec& spec, const TreeSystem& tree) {
  check(spec, tree.model().mechanism());
  auto function = [spec, &tree](double t, const State& x) {
    const double value = value_of(spec.value, tree, t, x);
    if (spec.quantity == EventSpec::Quantity::expression)
      return value_of(spec.expression, tree, t, x) - value;
    return (of_joint(spec) ? joint_quantity(spec, tree, x) : point_quantity(spec, tree, x)) - value;
  };
  const int of_expression = kinks_of(spec.expression);
  auto switching = [spec, of_expression, &tree](double t, const State& x, double* values) {
    const Model& model = tree.model();
    const auto q = x.q.head(model.nq()), v = x.v.head(model.nv());
    set_state(tree, x);
    tree.forces().feedback().switching_of(spec.expression, t, q, v, tree.workspace(), values);
    tree.forces().feedback().switching_of(spec.value, t, q, v, tree.workspace(), values + of_expression);
  };
  return {spec.name,
          std::move(function),
          spec.direction,
          spec.stop,
          of_expression + kinks_of(spec.value),
          std::move(switching)};
}

}  // namespace torsor::mechanics
