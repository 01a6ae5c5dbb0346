#include "torsor/model/forces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <new>

#include "force_kind.hpp"
#include "model/words.hpp"
#include "torsor/lie/status.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

std::string quoted(const Force& force) { return "force \"" + force.name + "\""; }

bool is_users(const Force& force) {
  return std::holds_alternative<UserForce>(force.law) || std::holds_alternative<ForceElement>(force.law);
}

bool depends_on_state(const Force& force) {
  return with_kind(force, [](const auto& kind, const auto& law) { return kind.depends_on_state(law); });
}

Part part_of(const Force& force, const Model& model) {
  return force_part(static_cast<int>(&force - model.mechanism().forces.data()));
}

/// Calls f(kind, law). An exception other than std::bad_alloc becomes an EvaluationError that names the
/// force.
template <class F>
auto with_named_kind(const Force& force, const Model& model, F&& f) try {
  return with_kind(force, f);
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception& error) {
  throw EvaluationError(StepStatus::callback_failed, quoted(force) + ": " + error.what(),
                        part_of(force, model));
} catch (...) {
  throw EvaluationError(StepStatus::callback_failed,
                        quoted(force) + " threw an object that is not an exception", part_of(force, model));
}

/// The links of the bodies that a force loads, each once, in ascending order.
std::vector<int> loaded_links(const Force& force, const Model& model) {
  std::vector<int> links;
  with_kind(force, [&](const auto& kind, const auto& law) {
    for (const int body : kind.loaded_bodies(law, model.mechanism()))
      if (body != world) links.push_back(model.link_of_body[body]);
  });
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
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

Forces::Forces(const Model& model)
    : model_(&model),
      user_(std::make_unique<UserForceScratch>()),
      feedback_(std::make_unique<Feedback>(model)),
      needs_kinematics_(feedback_->needs_kinematics()) {
  for (const Force& force : model.mechanism().forces) {
    const bool of_state = depends_on_state(force);
    if (of_state && !loads_) loads_ = std::make_unique<Loads<double>>(model);
    conserve_energy_ &= !of_state && with_kind(force, [](const auto& kind, const auto& law) {
      return kind.conserves_energy(law);
    });
    if (const auto* law = std::get_if<UniformGravity>(&force.law)) {
      if (is_constant(law->g)) {
        steady_gravity_ += value(law->g, 0);
        continue;
      }
      needs_kinematics_ = true;  // the power of gravity needs velocities
    } else if (const auto* in_joint = std::get_if<JointForce>(&force.law);
               in_joint && model.link_of_joint[in_joint->joint] >= 0) {
      has_tau_ = true;
    } else {
      has_wrenches_ = needs_kinematics_ = true;
    }
    acting_.push_back(&force);
    of_state_.push_back(of_state);
    loaded_.push_back(of_state ? loaded_links(force, model) : std::vector<int>());
    index(force);
  }
}

/// Enters an acting force in on_joint_ and on_node_.
void Forces::index(const Force& force) {
  if (const auto* const law = std::get_if<JointForce>(&force.law)) on_joint_[law->joint].push_back(&force);
  with_kind(force, [&](const auto& kind, const auto& law) {
    for (const BodyPoint& point : kind.loaded_points(law)) {
      if (point.node < 0) continue;
      std::vector<const Force*>& forces = on_node_[{point.body, point.node}];
      if (forces.empty() || forces.back() != &force) forces.push_back(&force);
    }
  });
}

Forces::~Forces() = default;
Forces::Forces(Forces&&) noexcept = default;

void Forces::add(const Force& force, double t, VecIn q, VecIn v, const Workspace<double>& work,
                 Loads<double>& loads) const {
  const ForceInstant now{*model_, work, *user_, *feedback_, t, q, v};
  with_named_kind(force, *model_,
                  [&](const auto& kind, const auto& law) { kind.add_loads(law, now, loads); });
}

void Forces::evaluate(double t, VecIn q, VecIn v, Workspace<double>& work, Loads<double>& loads) const {
  loads.has_wrenches = has_wrenches_, loads.has_tau = has_tau_;
  if (needs_kinematics_) forward_kinematics(*model_, q, v, work);
  if (!acting_.empty()) clear(loads);
  loads.gravity = steady_gravity_;
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
    const ForceInstant now{*model_, work, *user_, *feedback_, t, q, v};
    std::string why;
    with_kind(*force, [&](const auto& kind, const auto& law) {
      for (const TimeFunction* function : kind.functions(law))
        if (why.empty() && !std::isfinite(value(*function, now))) why = no_value_of(*function);
    });
    throw EvaluationError(is_users(*force) ? StepStatus::callback_failed : StepStatus::non_finite,
                          at_time(quoted(*force) + " is not finite", t) + why, part_of(*force, *model_));
  }
  throw EvaluationError(StepStatus::non_finite, at_time("the sum of the forces is not finite", t));
}

std::string_view scalar_unit(const Force& force, const Mechanism& mechanism) {
  return with_kind(force,
                   [&](const auto& kind, const auto& law) { return kind.scalar_unit(law, mechanism); });
}

std::vector<double> Forces::scalars(double t, VecIn q, VecIn v, const Workspace<double>& work) const {
  const ForceInstant now{*model_, work, *user_, *feedback_, t, q, v};
  std::vector<double> all;
  for (const Force& force : model_->mechanism().forces)
    if (!scalar_unit(force, model_->mechanism()).empty())
      all.push_back(with_named_kind(
          force, *model_, [&](const auto& kind, const auto& law) { return kind.scalar(law, now); }));
  return all;
}

double Forces::potential(double t, VecIn q, VecIn v, const Workspace<double>& work) const {
  const ForceInstant now{*model_, work, *user_, *feedback_, t, q, v};
  double sum = 0;
  for (const Force& force : model_->mechanism().forces) {
    if (depends_on_state(force)) continue;
    const double part = with_named_kind(
        force, *model_, [&](const auto& kind, const auto& law) { return kind.potential(law, now); });
    if (!std::isfinite(part))
      throw EvaluationError(StepStatus::non_finite,
                            at_time("the potential energy of " + quoted(force) + " is not finite", t),
                            part_of(force, *model_));
    sum += part;
  }
  return sum;
}

double Forces::power(double t, VecIn q, VecIn v, const Workspace<double>& work) const {
  const ForceInstant now{*model_, work, *user_, *feedback_, t, q, v};
  double sum = 0;
  for (std::size_t i = 0; i < acting_.size(); ++i) {
    const double part = of_state_[i]
                            ? power_of_loads(i, now)
                            : with_named_kind(*acting_[i], *model_, [&](const auto& kind, const auto& law) {
                                return kind.power(law, now);
                              });
    if (!std::isfinite(part))
      throw EvaluationError(StepStatus::non_finite,
                            at_time("the power of " + quoted(*acting_[i]) + " is not finite", now.t) +
                                (of_state_[i] ? "" : "; a formula of t may have an infinite slope there"),
                            part_of(*acting_[i], *model_));
    sum += part;
  }
  return sum;
}

/// The power of all loads of one of the acting_ forces. Only the links that it loads are visited, so that the
/// cost of all forces grows with the number of their loads.
double Forces::power_of_loads(std::size_t acting, const ForceInstant& now) const {
  Loads<double>& loads = *loads_;
  const std::vector<int>& links = loaded_[acting];
  const auto of_link = [&](auto& all, int link) {
    return all.segment(model_->v_begin[link], freedom_count(model_->kind[link]));
  };
  loads.has_wrenches = has_wrenches_, loads.has_tau = has_tau_;
  loads.gravity.setZero();
  for (const int link : links) {
    loads.force[link].setZero(), loads.torque[link].setZero();
    of_link(loads.tau, link).setZero();
  }
  add(*acting_[acting], now.t, now.q, now.v, now.work, loads);
  double sum = 0;
  for (const int link : links) sum += has_tau_ ? of_link(loads.tau, link).dot(of_link(now.v, link)) : 0;
  for (std::size_t k = 0; k < links.size() && needs_kinematics_; ++k)
    sum += now.body(links[k]).mass * loads.gravity.dot(now.work.v_WB[links[k]]);
  for (std::size_t k = 0; k < links.size() && has_wrenches_; ++k)
    sum += loads.force[links[k]].dot(now.work.v_WB[links[k]]) +
           loads.torque[links[k]].dot(now.work.w_WB[links[k]]);
  return sum;
}

Wrench Forces::joint_drive(int joint, double t, VecIn q, VecIn v, const Workspace<double>& work) const {
  const ForceInstant now{*model_, work, *user_, *feedback_, t, q, v};
  Wrench sum;
  const auto forces = on_joint_.find(joint);
  if (forces == on_joint_.end()) return sum;
  for (const Force* force : forces->second) {
    const Wrench wrench = with_named_kind(*force, *model_, [&](const auto&, const auto&) {
      return wrench_on_child(std::get<JointForce>(force->law), now);
    });
    sum.force += wrench.force, sum.torque += wrench.torque;
  }
  return sum;
}

Eigen::Matrix3Xd Forces::on_nodes(int body, double t, VecIn q, VecIn v, const Workspace<double>& work,
                                  Loads<double>& loads) const {
  const auto count = static_cast<Eigen::Index>(model_->mechanism().bodies[body].nodes.size());
  Eigen::Matrix3Xd all = Eigen::Matrix3Xd::Zero(3, count);
  if (!has_wrenches_) return all;
  loads.has_wrenches = has_wrenches_, loads.has_tau = has_tau_;
  Vec3& on_link = loads.force[model_->link_of_body[body]];
  for (Eigen::Index node = 0; node < count; ++node) {
    const auto forces = on_node_.find({body, static_cast<int>(node)});
    if (forces == on_node_.end()) continue;
    on_link.setZero();
    for (const Force* force : forces->second) add(*force, t, q, v, work, loads);
    all.col(node) = on_link;
  }
  return all;
}

std::string Forces::why_velocity_dependent() const {
  for (const Force& force : model_->mechanism().forces)
    if (with_kind(force, [](const auto& kind, const auto& law) { return kind.depends_on_velocity(law); }))
      return quoted(force) + (is_users(force) ? " may depend on velocities" : " depends on velocities");
    else if (depends_on_state(force))
      return quoted(force) + " uses quantities of the motion or is not a smooth function of time";
  return {};
}

}  // namespace torsor
