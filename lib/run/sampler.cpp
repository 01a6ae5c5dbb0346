#include "sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "energy_per_error.hpp"
#include "greatest.hpp"
#include "model/declared_joint.hpp"
#include "model/reaction.hpp"
#include "system/mechanism_parts.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/model/rigid_particles.hpp"
#include "torsor/system/reactions.hpp"

namespace torsor::mechanics {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Sets the motions of bodies and points, after body_accelerations.
void set_motions(const Model& model, const std::vector<TrackedPoint>& points, const Workspace<double>& work,
                 Sample& sample) {
  sample.bodies.clear(), sample.points.clear();
  for (int i = 0; i < model.size(); ++i) sample.bodies.push_back(body_motion(model, work, i));
  for (const TrackedPoint& one : points) sample.points.push_back(point_motion(model, work, one.point));
}

/// Sets the nodes of rigid systems of particles. `forces(body, count)` gives the forces on the nodes of a
/// body.
template <class Forces>
void add_nodes(const Model& model, Sample& sample, const Forces& forces) {
  sample.nodes.clear();
  for (int i = 0; i < static_cast<int>(sample.bodies.size()); ++i) {
    const Body& body = model.mechanism().bodies[i];
    if (body.nodes.empty()) continue;
    const auto nodes = node_motions(body, sample.bodies[i], forces(i, body.nodes.size()));
    sample.nodes.insert(sample.nodes.end(), nodes.begin(), nodes.end());
  }
}

/// Completes a sample at a state where the forces cannot be evaluated. Sets the values that the motion
/// alone determines; all others become NaN.
void without_forces(const Model& model, const std::vector<TrackedPoint>& points, Workspace<double>& work,
                    Sample& sample) {
  sample.a.setZero();
  forward_kinematics(model, sample.x.q, sample.x.v, work);
  body_accelerations(model, sample.x.v, sample.a, work);
  sample.a.setConstant(not_a_number);
  set_motions(model, points, work, sample);
  add_nodes(model, sample, [](int, std::size_t count) {
    return geometry::PerParticle<double>(
        geometry::PerParticle<double>::Zero(3, static_cast<Eigen::Index>(count)));
  });
  for (BodyMotion& body : sample.bodies)
    body.vdot.setConstant(not_a_number), body.Omegadot.setConstant(not_a_number),
        body.reaction.setConstant(not_a_number);
  for (BodyMotion& node : sample.nodes)
    node.vdot.setConstant(not_a_number), node.reaction.setConstant(not_a_number);
  for (std::size_t j = 0; j < sample.joints.size(); ++j) {
    const JointKind kind = model.mechanism().joints[j].kind;
    const DeclaredMotion declared = declared_motion(model, static_cast<int>(j), sample.x.q, sample.x.v, work);
    JointMotion& joint = sample.joints[j];
    joint.q = Eigen::Map<const Vec>(declared.q.data(), coordinate_count(kind));
    joint.v = Eigen::Map<const Vec>(declared.v.data(), freedom_count(kind));
    joint.a.setConstant(freedom_count(kind), not_a_number);
    joint.force.setConstant(not_a_number), joint.torque.setConstant(not_a_number);
  }
  const auto& forces = model.mechanism().forces;
  const auto has_scalar = [&](const Force& force) { return !scalar_unit(force, model.mechanism()).empty(); };
  sample.forces.assign(std::count_if(forces.begin(), forces.end(), has_scalar), not_a_number);
  for (ConstraintMotion& constraint : sample.constraints)
    constraint.force.setConstant(not_a_number), constraint.torque.setConstant(not_a_number),
        constraint.multipliers.setConstant(not_a_number), constraint.power = not_a_number;
  if (model.constrained())
    sample.invariants.position_residual = sample.invariants.velocity_residual = not_a_number;
  sample.invariants.kinetic = kinetic_energy(model, work);
  sample.invariants.potential = sample.invariants.acceleration_residual = not_a_number;
  sample.invariants.linear_momentum = linear_momentum(model, work);
  sample.invariants.angular_momentum = angular_momentum(model, work);
  sample.invariants.group_defect = group_defect(model, sample.x.q);
}

}  // namespace

void Sampler::take(double t, const State& x, double work) {
  if (keeper_.failed()) return;
  if (!is_read(t)) {
    keeper_.add_energy(t, [&] { return energy(t, x, work); });
    if (keeper_.failed()) return;
    std::swap(unread_, unread_before_);
    if (!unread_) unread_.emplace();
    unread_->t = t, unread_->work = work;
    unread_->x.q = x.q, unread_->x.v = x.v;
    return;
  }
  const Model& model = tree_.model();
  Workspace<double>& scratch = tree_.workspace();
  set_own_states(x);
  const auto per_error = [&](const Sample& sample) {
    if (mechanism_) forward_kinematics(model, sample.x.q, sample.x.v, scratch);
    return energy_per_error(tree_, sample.t, sample.x.q, sample.x.v);
  };
  keeper_.take(
      make(t, x, work), [&](Sample& sample) { measure(sample); }, per_error,
      [&](Sample& sample) { without_forces(model, points_, scratch, sample); });
  if (!keeper_.failed()) unread_.reset(), unread_before_.reset();
}

void Sampler::look(double t, const State& x, double work) {
  set_own_states(x);
  keeper_.widen([&] {
    const Model& model = tree_.model();
    const auto v = x.v.head(model.nv());
    const Workspace<double>& scratch = tree_.workspace();
    forward_kinematics(model, x.q, v, tree_.workspace());
    const double kinetic = kinetic_energy(model, scratch);
    const double potential = tree_.forces().potential(t, x.q, v, scratch);
    return EnergyBalance{kinetic, potential, work, energy_per_error(tree_, t, x.q, v)};
  });
}

void Sampler::set_own_states(const State& x) const {
  const OwnStates* const states = tree_.own_states();
  if (states && x.v.size() == tree_.model().nv() + states->count()) states->set(x.v.tail(states->count()));
}

/// Whether the sample at t is made at once. If the motion has no constraints, kinks or own states, the
/// sample can also be made at the end of the run.
bool Sampler::is_read(double t) const {
  if (!options_.reads || mechanism_ || tree_.switching() || tree_.counted_angles()) return true;
  return keeper_.empty() || options_.reads(t);
}

/// The energy that the sample at t would have. Throws where the forces cannot be evaluated.
EnergyBalance Sampler::energy(double t, const State& x, double work) {
  const Model& model = tree_.model();
  Workspace<double>& scratch = tree_.workspace();
  a_.resize(model.nv());
  tree_.acceleration(t, x.q, x.v, a_);
  forward_kinematics(model, x.q, x.v, scratch);
  return {kinetic_energy(model, scratch), tree_.forces().potential(t, x.q, x.v, scratch), work,
          energy_per_error(tree_, t, x.q, x.v)};
}

/// Makes the sample of the last output if it has not been made; if it cannot be measured, that of the output
/// before.
void Sampler::close() {
  if (unread_ && !keep_last(*unread_) && unread_before_) keep_last(*unread_before_);
  keeper_.close();
}

bool Sampler::keep_last(const Unread& output) {
  return keeper_.keep_last(make(output.t, output.x, output.work), [&](Sample& sample) { measure(sample); });
}

Sample Sampler::make(double t, const State& x, double work) const {
  const Model& model = tree_.model();
  Sample sample;
  sample.t = t;
  sample.x.q = x.q, sample.x.v = x.v.head(model.nv());
  for (const double z : x.v.tail(x.v.size() - model.nv())) sample.states.push_back(z);
  sample.a.setZero(model.nv());
  sample.invariants.work = work;
  sample.joints.resize(model.mechanism().joints.size());
  sample.constraints.resize(model.mechanism().constraints.size());
  return sample;
}

/// Sets whether the reactions of each joint and constraint are unique.
void Sampler::set_uniqueness(Sample& sample) {
  const auto& items = mechanism_->constraints().items();
  const std::vector<char> unique = unique_multipliers(*mechanism_, sample.t, sample.x.q);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].joint >= 0)
      sample.joints[items[i].joint].unique = unique[i] != 0;
    else
      sample.constraints[items[i].constraint].unique = unique[i] != 0;
  }
}

/// Adds the joint forces to the reactions of the joints that are not in the tree, and sets the reaction on
/// each body: the sum over joints and constraints. `on_links`: the wrench of the constraint rows on each
/// link.
void Sampler::set_reactions(Sample& sample, std::vector<Wrench>& on_links) const {
  const Model& model = tree_.model();
  for (std::size_t j = 0; j < sample.joints.size(); ++j) {
    if (model.link_of_joint[j] >= 0) continue;
    const Wrench drive =
        tree_.forces().joint_drive(static_cast<int>(j), sample.t, sample.x.q, sample.x.v, tree_.workspace());
    sample.joints[j].force += drive.force, sample.joints[j].torque += drive.torque;
    const Joint& joint = model.mechanism().joints[j];
    if (joint.child != world) on_links[model.link_of_body[joint.child]].force += drive.force;
    if (joint.parent != world) on_links[model.link_of_body[joint.parent]].force -= drive.force;
  }
  for (std::size_t i = 0; i < on_links.size(); ++i) sample.bodies[model.body[i]].reaction = on_links[i].force;
  for (std::size_t j = 0; j < sample.joints.size(); ++j) {
    if (model.link_of_joint[j] < 0) continue;
    const Joint& joint = model.mechanism().joints[j];
    if (joint.child != world) sample.bodies[joint.child].reaction += sample.joints[j].force;
    if (joint.parent != world) sample.bodies[joint.parent].reaction -= sample.joints[j].force;
  }
}

/// The part of `measure` for a constrained tree. Sets `on_links` to the wrench of the loop joints and
/// constraints on each link.
void Sampler::measure_constraints(Sample& sample, std::vector<Wrench>& on_links) {
  const Model& model = tree_.model();
  const AllRows all(mechanism_->parts().rows);
  const double t = sample.t, work = sample.invariants.work;
  const Vec &q = sample.x.q, &v = sample.x.v;
  Workspace<double>& scratch = tree_.workspace();
  Vec lambda(mechanism_->rows()), residual(mechanism_->rows());
  const bool determined = keeper_.find_acceleration(*mechanism_, sample, lambda);
  const std::vector<Reaction> of_rows = reactions(*mechanism_, t, q, v, lambda, on_links);
  sample.invariants = invariants(model, tree_.forces(), t, q, v, sample.a, scratch, tree_.loads(), &on_links);
  sample.invariants.work = work;
  if (!determined) sample.invariants.acceleration_residual = not_a_number;
  sample.joints = joint_motions(model, q, v, scratch);
  mechanism_->position_residual(t, q, residual);
  sample.invariants.position_residual = linear::greatest(residual);
  mechanism_->velocity_residual(t, q, v, residual);
  sample.invariants.velocity_residual = linear::greatest(residual);
  forward_kinematics(model, q, v, scratch);  // the residuals use the same memory
  for (const auto& [index, on_body, multipliers, power] : of_rows) {
    const Constraints::Item& item = mechanism_->constraints().items()[index];
    if (item.constraint >= 0) {
      sample.constraints[item.constraint] = {on_body.force, on_body.torque, multipliers, power};
      continue;
    }
    const Wrench reaction = joint_reaction(model, scratch, item.joint, item.links.front(), on_body);
    sample.joints[item.joint].force = reaction.force, sample.joints[item.joint].torque = reaction.torque;
  }
  if (determined) set_uniqueness(sample);
}

/// Sets the parts of a sample that need the forces: accelerations, reactions and energy.
void Sampler::measure(Sample& sample) {
  const Model& model = tree_.model();
  const Vec &q = sample.x.q, &v = sample.x.v;
  Workspace<double>& scratch = tree_.workspace();
  std::vector<Wrench> on_links(static_cast<std::size_t>(model.size()));
  if (mechanism_) {
    measure_constraints(sample, on_links);
  } else {
    tree_.acceleration(sample.t, q, v, sample.a);
    const double work = sample.invariants.work;
    sample.invariants = invariants(model, tree_.forces(), sample.t, q, v, sample.a, scratch, tree_.loads());
    sample.invariants.work = work;
    sample.joints = joint_motions(model, q, v, scratch);
  }
  body_accelerations(model, v, sample.a, scratch);
  set_motions(model, points_, scratch, sample);
  for (std::size_t j = 0; j < sample.joints.size(); ++j)
    sample.joints[j].a =
        declared_acceleration(model, static_cast<int>(j), sample.joints[j].q, sample.a, scratch);
  sample.forces = tree_.forces().scalars(sample.t, q, v, scratch);
  set_reactions(sample, on_links);
  add_nodes(model, sample, [&](int body, std::size_t) {
    return tree_.forces().on_nodes(body, sample.t, q, v, scratch, tree_.loads());
  });
}

}  // namespace torsor::mechanics
