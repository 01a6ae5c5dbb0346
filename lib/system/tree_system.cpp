#include "torsor/system/tree_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "chart.hpp"
#include "loop_angles.hpp"
#include "mechanism_control.hpp"
#include "model/invariant_metric.hpp"
#include "model/recursions.hpp"
#include "pivoted_bodies.hpp"
#include "torsor/integrators/euler_poincare.hpp"
#include "torsor/system/mechanism_system.hpp"
#include "tree_tangent.hpp"

namespace torsor {
namespace {

using Twist = spatial::Vec6<double>;

/// Twist of link i at its joint point, in axes of M, from the twist of its parent and the rates of the
/// joint.
Twist carried(const Model& model, const Workspace<double>& work, const std::vector<Twist>& twists, int i,
              const double* rates) {
  const auto& [R, p, w] = work.local[i];
  Twist twist = detail::relative_velocity(model, i, work.local[i], rates);
  const int parent = model.parent[i];
  if (parent == world) return twist;
  const Twist& at_parent = twists[parent];
  twist += {transpose_times(R, at_parent.lin + cross(at_parent.ang, p)), transpose_times(R, at_parent.ang)};
  return twist;
}

double norm(const spatial::Vec3<double>& a) { return std::sqrt(dot(a, a)); }

}  // namespace

/// The point on the ground at which the branch that begins with a link is attached.
static Vec3 foot(const Model& model, int link) {
  const int joint = model.span_joint[link];
  if (joint < 0) return Vec3::Zero();
  const Joint& j = model.mechanism().joints[joint];
  return j.parent == world ? j.X_PF.p : j.X_CM.p;
}

/// The joint that attaches the branch of a link of the spanning tree to the ground.
static JointKind joint_to_ground(const Model& model, int link) {
  const int joint = model.span_joint[link];
  if (joint >= 0) return model.mechanism().joints[joint].kind;
  return model.mechanism().bodies[model.body[link]].particle ? JointKind::translation : JointKind::free;
}

static bool limits_distance(JointKind kind) {
  return kind == JointKind::fixed || kind == JointKind::revolute || kind == JointKind::universal ||
         kind == JointKind::spherical;
}

LinkLengths::LinkLengths(const Model& model, VecIn q)
    : reference_(static_cast<std::size_t>(model.size()), world), of_(reference_.size()) {
  Workspace<double> work(model);
  const Vec rest = Vec::Zero(model.nv());
  forward_kinematics(model, q, rest, work);
  std::vector<Vec3> ground(of_.size());  // where the branch of a link meets the ground
  // Over references, and last for the links without a reference: greatest distance from the ground, and from
  // the reference.
  std::vector<double> from_ground(of_.size() + 1), from_reference(of_.size() + 1);
  const auto at = [&](int i) { return reference_[i] == world ? of_.size() : std::size_t(reference_[i]); };
  int first_free = world;
  for (int i = 0; i < model.size(); ++i) {
    const int parent = model.span_parent[i];
    ground[i] = parent == world ? foot(model, i) : ground[parent];
    if (parent != world) {
      reference_[i] = reference_[parent];
    } else if (const JointKind kind = joint_to_ground(model, i); !limits_distance(kind)) {
      const bool is_free = kind == JointKind::free || kind == JointKind::translation;
      if (is_free && first_free == world) first_free = i;
      reference_[i] = is_free ? first_free : i;
    }
    const Body& body = model.mechanism().bodies[model.body[i]];
    const double gyration = body.particle ? 0 : std::sqrt(body.inertia.trace() / (2 * body.mass));
    double &far = from_ground[at(i)], &apart = from_reference[at(i)];
    far = std::max({far, (work.p_WB[i] - ground[i]).norm(), gyration});
    if (reference_[i] != world)
      apart = std::max({apart, (work.p_WB[i] - work.p_WB[reference_[i]]).norm(), gyration});
  }
  for (int i = 0; i < model.size(); ++i) {
    const bool refers = reference_[i] != world && reference_[i] != i;
    const double far = from_ground[at(i)], apart = from_reference[at(i)];
    of_[i] = refers && apart > 0 ? apart : far > 0 ? far : 1;
  }
  greatest_ = of_.empty() ? 1 : *std::max_element(of_.begin(), of_.end());
}

namespace mechanics {

/// The equations of a tree in the form of Euler and Poincare. Computes in the scratch memory of its system.
class TreeEulerPoincare final : public EulerPoincare {
 public:
  TreeEulerPoincare(const Model& model, const Forces& forces, Workspace<double>& work, Loads<double>& loads)
      : model_(model), metric_(model, forces), work_(work), loads_(loads) {}

  std::optional<std::string> why_not() const override { return metric_.why_not(); }
  void momentum(VecIn v, VecOut p) const override { metric_.momentum(v, p); }
  void momentum_inverse(VecIn p, VecOut v) const override { metric_.momentum_inverse(p, v); }
  void position_force(double t, VecIn q, VecOut f) const override {
    metric_.position_force(t, q, work_, loads_, f);
  }
  void ad_transpose(VecIn v, VecIn p, VecOut out) const override {
    torsor::ad_transpose(model_, v.data(), p.data(), out.data());
  }
  void dexp_inv_transpose(VecIn xi, VecIn p, VecOut out) const override {
    torsor::dexp_inv_transpose(model_, xi.data(), p.data(), out.data());
  }

 private:
  const Model& model_;
  InvariantMetric metric_;
  Workspace<double>& work_;
  Loads<double>& loads_;
};

}  // namespace mechanics

struct TreeSystem::Scratch {
  Scratch(const Model& model, const Forces& forces)
      : work(model),
        loads(model),
        q(model.nq()),
        euler_poincare(model, forces, work, loads),
        control(model, forces, work),
        loop_angles(model, work),
        centre(model.size()),
        displacement(model.size()),
        velocity(model.size()),
        change(model.size()) {
    if (mechanics::PivotedBodies::describe(model)) pivoted.emplace(model);
  }

  Workspace<double> work;
  Loads<double> loads;
  Vec q;
  mechanics::TreeEulerPoincare euler_poincare;
  mechanics::MechanismControl control;
  mechanics::LoopAngles loop_angles;
  std::optional<mechanics::PivotedBodies> pivoted;  ///< only if all bodies are pivoted
  /// For the error norm, over links that are references: displacement, velocity and change of velocity of the
  /// mass centre, world axes.
  std::vector<std::array<spatial::Vec3<double>, 3>> centre;
  std::vector<Twist> displacement, velocity, change;
  std::unique_ptr<MechanismSystem> mechanism;  ///< made on first use, as is `tangent`
  std::unique_ptr<Tangent> tangent;
};

TreeSystem::TreeSystem(const Model& model, const LinkLengths& lengths)
    : model_(model), forces_(model), lengths_(lengths), scratch_(std::make_unique<Scratch>(model, forces_)) {}

TreeSystem::~TreeSystem() = default;

void TreeSystem::retract(VecIn q, VecIn xi, VecOut q_next) const {
  torsor::retract(model_, q.data(), xi.data(), q_next.data());
}
void TreeSystem::local_difference(VecIn q, VecIn p, VecOut xi) const {
  torsor::local_difference(model_, q.data(), p.data(), xi.data());
}
void TreeSystem::dexp(VecIn xi, VecIn w, VecOut out) const {
  torsor::dexp(model_, xi.data(), w.data(), out.data());
}
void TreeSystem::dexp_inv(VecIn xi, VecIn w, VecOut out) const {
  torsor::dexp_inv(model_, xi.data(), w.data(), out.data());
}

void TreeSystem::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  if (scratch_->pivoted) return scratch_->pivoted->acceleration(q.data(), v.data(), a.data());
  Workspace<double>& work = scratch_->work;
  Loads<double>& loads = scratch_->loads;
  forces_.evaluate(t, q, v, work, loads);
  if (!forces_.needs_kinematics()) local_kinematics(model_, q, v, work);
  forward_dynamics(model_, v, loads, work, a);
}

void TreeSystem::chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const {
  if (scratch_->pivoted)
    return scratch_->pivoted->chart_rate(q.data(), xi.data(), v.data(), xi_rate.data(), a.data());
  mechanics::chart_point(model_, q.data(), xi.data(), v.data(), scratch_->q.data(), xi_rate.data());
  acceleration(t, scratch_->q, v, a);
}

double TreeSystem::error_norm(const State& x, VecIn xi, VecIn dv) const {
  Scratch& s = *scratch_;
  if (s.pivoted) return s.pivoted->error_norm(x.v.data(), xi.data(), dv.data(), lengths_.greatest());
  local_kinematics(model_, x.q, x.v, s.work);
  double greatest = 0;
  for (int i = 0; i < model_.size(); ++i) {
    const int at = model_.v_begin[i];
    s.displacement[i] = carried(model_, s.work, s.displacement, i, xi.data() + at);
    s.velocity[i] = carried(model_, s.work, s.velocity, i, x.v.data() + at);
    s.change[i] = carried(model_, s.work, s.change, i, dv.data() + at);
    const int reference = lengths_.reference(i);
    const std::array<Twist*, 3> motions{&s.displacement[i], &s.velocity[i], &s.change[i]};
    const auto c = detail::scalar_vector<double>(model_.X_MB[i].p);
    const auto of_centre = [&](const Twist& twist) { return twist.lin + cross(twist.ang, c); };
    const auto size = [&](const Twist& twist) { return norm(of_centre(twist)); };
    if (reference != world && reference != i && model_.parent[i] == world)
      for (int k = 0; k < 3; ++k)
        motions[k]->lin -= transpose_times(s.work.local[i].R_PM, s.centre[reference][k]);
    const double length = lengths_[i];
    const double dx = size(s.displacement[i]) / length, dR = norm(s.displacement[i].ang);
    const double dv_x = size(s.change[i]) / (length + size(s.velocity[i]));
    const double dv_R = norm(s.change[i].ang) / (1 + norm(s.velocity[i].ang));
    if (!std::isfinite(dx + dR + dv_x + dv_R)) return std::numeric_limits<double>::infinity();
    greatest = std::max({greatest, dx, dR, dv_x, dv_R});
    if (reference != i) continue;
    // Link i is a reference: the motions of the links that it carries are relative to its mass centre.
    for (int k = 0; k < 3; ++k) {
      const spatial::Vec3<double> centre = of_centre(*motions[k]);
      s.centre[i][k] = s.work.local[i].R_PM * centre;
      motions[k]->lin -= centre;
    }
  }
  return greatest;
}

const EulerPoincare* TreeSystem::euler_poincare() const { return &scratch_->euler_poincare; }

const OwnStates* TreeSystem::own_states() const {
  return scratch_->control.count() > 0 ? &scratch_->control : nullptr;
}

const Switching* TreeSystem::switching() const {
  const mechanics::MechanismControl& control = scratch_->control;
  return control.kinks() > 0 || control.count() > 0 ? &control : nullptr;
}

void TreeSystem::acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const {
  acceleration(t, q, v, a);
  power = forces_.power(t, q, v, scratch_->work);
}

const MechanismSystem& TreeSystem::mechanism() const {
  auto& mechanism = scratch_->mechanism;
  if (!mechanism) {
    mechanism = std::make_unique<MechanismSystem>(model_, lengths_);
    lead(mechanism->tree());
  }
  return *mechanism;
}

const CountedAngles* TreeSystem::counted_angles() const {
  return scratch_->loop_angles.any() ? &scratch_->loop_angles : nullptr;
}

void TreeSystem::lead(const TreeSystem& other) const {
  scratch_->control.lead(other.forces());
  scratch_->loop_angles.lead(other.scratch_->loop_angles);
}

void TreeSystem::share_turns(const Workspace<double>& other) const { scratch_->loop_angles.share(other); }

Tangent* TreeSystem::tangent() const {
  auto& tangent = scratch_->tangent;
  if (!tangent) tangent = mechanics::make_tangent(mechanism(), Treatment::index_1, {});
  return tangent.get();
}

Workspace<double>& TreeSystem::workspace() const { return scratch_->work; }
Loads<double>& TreeSystem::loads() const { return scratch_->loads; }

}  // namespace torsor
