#include "torsor/model/forces.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <type_traits>

#include "force_laws.hpp"
#include "model/declared_joint.hpp"
#include "model/words.hpp"
#include "torsor/lie/status.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

constexpr int most_freedoms = 6;

std::string quoted(const Force& force) { return "force \"" + force.name + "\""; }

Part part_of(const Force& force, const Model& model) {
  return force_part(static_cast<int>(&force - model.mechanism().forces.data()));
}

/// Calls f(law, instant) with the law of the force; for a JointForce the instant includes the motion of its
/// joint. An exception becomes an EvaluationError that names the force.
template <class F>
auto with_law(const Force& force, ForceInstant now, VecIn q, VecIn v, F&& f) try {
  return std::visit(
      [&](const auto& law) {
        if constexpr (std::is_same_v<std::decay_t<decltype(law)>, JointForce>) {
          const DeclaredMotion joint = declared_motion(now.model, law.joint, q, v, now.work);
          now.joint_q = joint.q.data(), now.joint_v = joint.v.data();
          return f(law, now);
        } else {
          return f(law, now);
        }
      },
      force.law);
} catch (const std::exception& error) {
  throw EvaluationError(StepStatus::callback_failed, quoted(force) + ": " + error.what(),
                        part_of(force, now.model));
} catch (...) {
  throw EvaluationError(StepStatus::callback_failed,
                        quoted(force) + " threw an object that is not an exception",
                        part_of(force, now.model));
}

/// Adds the force of a joint outside the tree as wrenches on its two bodies.
void add_outside_tree(const JointForce& law, const ForceInstant& now, const double* tau,
                      Loads<double>& loads) {
  const Joint& joint = now.model.mechanism().joints[law.joint];
  const JointPlace place = joint_place(now.model, law.joint, now.work);
  const Vector<double, 6> wrench = joint_force_wrench(now.model, law.joint, now.joint_q, tau, place);
  const Vec3 force = wrench.head<3>(), torque = wrench.tail<3>();
  const auto act = [&](int body, double sign) {
    if (body == world) return;
    const int link = now.model.link_of_body[body];
    loads.force[link] += sign * force;
    loads.torque[link] += sign * (torque + (place.p_WM - now.work.p_WB[link]).cross(force));
  };
  act(joint.child, 1), act(joint.parent, -1);
}

void add_joint_force(const JointForce& law, const ForceInstant& now, VecIn q, Loads<double>& loads) {
  const Model& model = now.model;
  std::array<double, most_freedoms> tau_declared{}, tau{};
  tau_declared[law.coordinate] = generalised_force(law, now);
  if (model.link_of_joint[law.joint] < 0) return add_outside_tree(law, now, tau_declared.data(), loads);
  const int link = model.link_of_joint[law.joint], begin = model.v_begin[link];
  tree_force_from_declared(model, link, q.data() + model.q_begin[link], tau_declared.data(), tau.data());
  for (int k = 0; k < freedom_count(model.kind[link]); ++k) loads.tau[begin + k] += tau[k];
}

void clear(Loads<double>& loads) {
  loads.gravity.setZero();
  if (loads.has_wrenches) {
    std::fill(loads.force.begin(), loads.force.end(), Vec3::Zero());
    std::fill(loads.torque.begin(), loads.torque.end(), Vec3::Zero());
  }
  if (loads.has_tau) loads.tau.setZero();
}

bool finite(const Loads<double>& loads) {
  double sum = loads.gravity.sum();
  if (loads.has_tau) sum += loads.tau.sum();
  if (loads.has_wrenches)
    for (std::size_t i = 0; i < loads.force.size(); ++i) sum += loads.force[i].sum() + loads.torque[i].sum();
  return std::isfinite(sum);
}

}  // namespace

Forces::Forces(const Model& model) : model_(&model), user_(std::make_unique<UserForceScratch>()) {
  for (const Force& force : model.mechanism().forces) {
    conserve_energy_ &= std::visit([](const auto& law) { return conserves_energy(law); }, force.law);
    if (const auto* law = std::get_if<UniformGravity>(&force.law)) {
      if (is_constant(law->g)) {
        steady_gravity_ += value(law->g, 0);
        continue;
      }
      needs_kinematics_ = true;  // for its power
    } else if (const auto* in_joint = std::get_if<JointForce>(&force.law);
               in_joint && model.link_of_joint[in_joint->joint] >= 0) {
      has_tau_ = true;
    } else {
      has_wrenches_ = needs_kinematics_ = true;
    }
    acting_.push_back(&force);
  }
}

Forces::~Forces() = default;
Forces::Forces(Forces&&) noexcept = default;

void Forces::add(const Force& force, double t, VecIn q, VecIn v, const Workspace<double>& work,
                 Loads<double>& loads) const {
  with_law(force, {*model_, work, *user_, t}, q, v, [&](const auto& law, const ForceInstant& now) {
    using Law = std::decay_t<decltype(law)>;
    if constexpr (std::is_same_v<Law, UniformGravity>)
      loads.gravity += value(law.g, t);
    else if constexpr (std::is_same_v<Law, JointForce>)
      add_joint_force(law, now, q, loads);
    else
      add_wrenches(law, now, loads);
  });
}

void Forces::evaluate(double t, VecIn q, VecIn v, Workspace<double>& work, Loads<double>& loads) const {
  loads.has_wrenches = has_wrenches_, loads.has_tau = has_tau_;
  if (acting_.empty()) {
    loads.gravity = steady_gravity_;
    return;
  }
  clear(loads);
  loads.gravity = steady_gravity_;
  if (needs_kinematics_) forward_kinematics(*model_, q, v, work);
  for (const Force* force : acting_) add(*force, t, q, v, work, loads);
  if (!finite(loads)) throw_for_cause(t, q, v, work, loads);
}

/// Called when a load is not finite: evaluates each force alone to find and name the cause.
void Forces::throw_for_cause(double t, VecIn q, VecIn v, const Workspace<double>& work,
                             Loads<double>& loads) const {
  for (const Force* force : acting_) {
    clear(loads);
    add(*force, t, q, v, work, loads);
    if (finite(loads)) continue;
    const bool users = std::holds_alternative<UserForce>(force->law);
    throw EvaluationError(users ? StepStatus::callback_failed : StepStatus::non_finite,
                          at_time(quoted(*force) + " is not finite", t), part_of(*force, *model_));
  }
  throw EvaluationError(StepStatus::non_finite, at_time("the sum of the forces is not finite", t));
}

std::vector<double> Forces::scalars(double t, VecIn q, VecIn v, const Workspace<double>& work) const {
  std::vector<double> all;
  for (const Force& force : model_->mechanism().forces)
    with_law(force, {*model_, work, *user_, t}, q, v, [&](const auto& law, const ForceInstant& now) {
      using Law = std::decay_t<decltype(law)>;
      if constexpr (std::is_same_v<Law, PointSpring>) all.push_back(tension(law, now));
      if constexpr (std::is_same_v<Law, JointForce>) all.push_back(generalised_force(law, now));
    });
  return all;
}

double Forces::potential(double t, VecIn q, VecIn v, const Workspace<double>& work) const {
  double sum = 0;
  for (const Force& force : model_->mechanism().forces) {
    const double part =
        with_law(force, {*model_, work, *user_, t}, q, v,
                 [](const auto& law, const auto& now) { return torsor::potential(law, now); });
    if (!std::isfinite(part))
      throw EvaluationError(StepStatus::non_finite,
                            at_time("the potential energy of " + quoted(force) + " is not finite", t),
                            part_of(force, *model_));
    sum += part;
  }
  return sum;
}

double Forces::power(double t, VecIn q, VecIn v, const Workspace<double>& work) const {
  double sum = 0;
  for (const Force* force : acting_)
    sum += with_law(*force, {*model_, work, *user_, t}, q, v,
                    [](const auto& law, const ForceInstant& now) { return torsor::power(law, now); });
  return sum;
}

Wrench Forces::joint_drive(int joint, double t, VecIn q, VecIn v, const Workspace<double>& work) const {
  Wrench sum;
  for (const Force* force : acting_) {
    const auto* law = std::get_if<JointForce>(&force->law);
    if (!law || law->joint != joint) continue;
    with_law(*force, {*model_, work, *user_, t}, q, v, [&](const auto&, const ForceInstant& now) {
      std::array<double, most_freedoms> tau{};
      tau[law->coordinate] = generalised_force(*law, now);
      const JointPlace place = joint_place(*model_, joint, work);
      const Vector<double, 6> wrench = joint_force_wrench(*model_, joint, now.joint_q, tau.data(), place);
      sum.force += wrench.head<3>(), sum.torque += wrench.tail<3>();
    });
  }
  return sum;
}

Eigen::Matrix3Xd Forces::on_nodes(int body, double t, VecIn q, VecIn v, const Workspace<double>& work,
                                  Loads<double>& loads) const {
  const auto count = static_cast<Eigen::Index>(model_->mechanism().bodies[body].nodes.size());
  Eigen::Matrix3Xd all = Eigen::Matrix3Xd::Zero(3, count);
  if (!has_wrenches_) return all;
  loads.has_wrenches = has_wrenches_, loads.has_tau = has_tau_;
  for (Eigen::Index node = 0; node < count; ++node) {
    clear(loads);
    for (const Force* force : acting_)
      if (std::visit([&](const auto& law) { return acts_on(law, body, static_cast<int>(node)); }, force->law))
        add(*force, t, q, v, work, loads);
    all.col(node) = loads.force[model_->link_of_body[body]];
  }
  return all;
}

std::string Forces::why_velocity_dependent() const {
  for (const Force& force : model_->mechanism().forces)
    if (std::visit([](const auto& law) { return depends_on_velocity(law); }, force.law))
      return quoted(force) + (std::holds_alternative<UserForce>(force.law) ? " may depend on velocities"
                                                                           : " depends on velocities");
  return {};
}

}  // namespace torsor
