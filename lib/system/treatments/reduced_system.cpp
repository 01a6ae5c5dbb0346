#include "torsor/system/reduced_system.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/forces/feedback.hpp"
#include "system/mechanism_parts.hpp"
#include "system/text.hpp"
#include "torsor/system/reactions.hpp"

namespace torsor {
namespace {

/// Steps of central differences. `time_step`, s: for motions that turn by 1 rad or cover the length of the
/// mechanism in 1 s, shorter for faster ones. `velocity_step`, m/s and rad/s: exact as long as forces grow
/// no faster than the fourth power of the velocity.
constexpr double time_step = 1e-3, velocity_step = 1e-2;

/// f'(0), of order 4.
template <class Function>
Vec derivative(const Function& f, double step) {
  return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step);
}

}  // namespace

/// The system with ideal rows at one state (t, q, v), u = v - C slip, and the slow manifold at this state. As
/// StepChoices it makes the choices of the system with friction and of the system with ideal rows.
struct ReducedSystem::Slow final : StepChoices {
  Slow(const ReducedSystem& system, const LinkLengths& lengths, double mu_)
      : with_friction(system),
        ideal(system.model(), lengths),
        mu(mu_),
        rest(Vec::Zero(ideal.nv())),
        none(Vec::Zero(ideal.rows())) {}

  const MechanismSystem& with_friction;
  MechanismSystem ideal;
  const double mu;
  const Vec rest, none;
  double t = 0;
  Vec q, v, slip, u;
  Vec sigma, w;  ///< on the slow manifold
  bool on_manifold = false;
  long feedback_version = 0;  ///< of the own states and sides for which the manifold was found

  StepChoices& choices_with_friction() const { return with_friction.MechanismSystem::choices(); }

  void begin_run() override {
    on_manifold = false;
    choices_with_friction().begin_run();
    ideal.choices().begin_run();
  }
  /// Throws EvaluationError (singular) if a row that friction replaces is redundant.
  void choose(double at, VecIn q_at) override {
    on_manifold = false;
    choices_with_friction().choose(at, q_at);
    ideal.choices().choose(at, q_at);
    const std::vector<char> all = redundant_rows(ideal, at, q_at),
                            exact = redundant_rows(with_friction, at, q_at);
    const auto count = [](const std::vector<char>& flags, char which) {
      return std::count(flags.begin(), flags.end(), which);
    };
    if (count(all, 1) + count(with_friction.holonomic(), 0) == count(exact, 1)) return;
    throw EvaluationError(StepStatus::singular,
                          "rows that friction replaces are redundant at t = " + mechanics::text(at) +
                              ": their slips are not independent");
  }
  bool still_right(double at, VecIn q_at) override {
    const bool right = choices_with_friction().still_right(at, q_at);
    return ideal.choices().still_right(at, q_at) && right;
  }
  bool stages_right() override {
    const bool right = choices_with_friction().stages_right();
    return ideal.choices().stages_right() && right;
  }
  void check_end(double at, VecIn q_at) override {
    choices_with_friction().check_end(at, q_at);
    ideal.choices().check_end(at, q_at);
  }

  void stand_at(double t_now, VecIn q_now, VecIn v_now) {
    t = t_now, q = q_now, v = v_now;
    on_manifold = false;
    slip = none;
    ideal.velocity_residual(t, q, v, slip);
    u = v - lift(t, q, slip).C_s;
  }

  struct Lifted {
    Vec C_s, M_s;
  };
  Lifted lift(double at, const Vec& q_at, const Vec& s) const {
    Lifted out{rest, none};
    ideal.solve(at, q_at, rest, s, out.C_s, out.M_s);
    return out;
  }

  struct Motion {
    Vec a, lambda;
  };
  /// G^-1 (f - b + A^T Lambda) and Lambda, at velocities with any slip.
  Motion motion(double at, const Vec& q_at, const Vec& v_at) const {
    Motion out{rest, none};
    ideal.force(at, q_at, v_at, out.a);
    ideal.constraint_bias(at, q_at, v_at, out.lambda);
    out.lambda = -out.lambda;
    ideal.solve(at, q_at, out.a, out.lambda, out.a, out.lambda);
    return out;
  }

  /// The slip, divided by eps, at which friction exerts `lambda`; 0 in holonomic rows.
  Vec slip_under(Vec lambda) const {
    for (Eigen::Index i = 0; i < lambda.size(); ++i)
      lambda[i] *= ideal.holonomic()[static_cast<std::size_t>(i)] ? 0 : -1 / mu;
    return lambda;
  }

  /// d/ds f(s, q_s) at s = 0, where q_s is q exp(s velocity), projected onto the constraints at t + s. f may
  /// stand at other states.
  template <class Function>
  Vec along(const Vec& velocity, const Function& f) const {
    const auto at = [&, t_0 = t, q_0 = q](double s) {
      Vec q_s(q_0.size());
      ideal.retract(q_0, s * velocity, q_s);
      ideal.project_position(t_0 + s, q_s);
      return f(s, q_s);
    };
    return derivative(at, time_step / std::max(ideal.error_norm({q, velocity, {}}, velocity, rest), 1.));
  }

  /// sigma_2 from sigma_1 and the acceleration `a` under ideal rows at u.
  Vec second_slip(const Vec& sigma_1, const Vec& a) const {
    const Vec y = lift(t, q, sigma_1).C_s;
    const auto by_velocity = [&](double s) { return motion(t, q, u + s * y).lambda; };
    const auto by_time = [&](double s, const Vec& q_s) {
      Vec u_s = u + s * a;
      ideal.project_velocity(t + s, q_s, u_s);
      return motion(t + s, q_s, u_s).lambda;
    };
    const double step = velocity_step / std::max(y.lpNorm<Eigen::Infinity>(), 1.);
    const Vec sigma_1_rate = slip_under(along(u, by_time));
    return slip_under(derivative(by_velocity, step) + lift(t, q, sigma_1_rate).M_s);
  }

  void find_manifold(int order, double eps) {
    const auto [a, lambda] = motion(t, q, u);
    const Vec sigma_1 = slip_under(lambda);
    sigma = eps * sigma_1;
    if (order > 1) sigma += eps * eps * second_slip(sigma_1, a);
    w = u + lift(t, q, sigma).C_s;
    on_manifold = true;
  }
};

ReducedSystem::ReducedSystem(const Model& model, const LinkLengths& lengths,
                             const TreatmentParameters& friction, int order)
    : MechanismSystem(model, lengths, order > 0 ? Treatment::viscous : Treatment::index_1, friction),
      order_(order),
      eps_(friction.eps),
      slow_(std::make_unique<Slow>(*this, lengths, friction.mu)) {
  if (order < 0 || order > 2)
    throw std::invalid_argument("the order of the reduced motion of bodies must be 0, 1 or 2");
  tree().lead(slow_->ideal.tree());
}

ReducedSystem::~ReducedSystem() = default;

ReducedSystem::Slow& ReducedSystem::look_at(double t, VecIn q, VecIn v) const {
  Slow& slow = *slow_;
  const long version = slow.ideal.tree().forces().feedback().version();
  if (slow.on_manifold && slow.t == t && slow.q == q && slow.v == v && slow.feedback_version == version)
    return slow;
  slow.stand_at(t, q, v);
  slow.feedback_version = version;
  slow.find_manifold(order_, eps_);
  return slow;
}

void ReducedSystem::velocity(double t, VecIn q, VecIn v, VecOut out) const {
  out = v;
  if (order_ > 0)
    out = look_at(t, q, v).w;
  else
    project_velocity(t, q, out);
}

void ReducedSystem::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  if (order_ == 0) return MechanismSystem::acceleration(t, q, v, a);
  const Slow& slow = look_at(t, q, v);
  const Vec excess = slow.sigma - slow.slip;
  const Vec turned =
      slow.along(slow.w, [&](double s, const Vec& q_s) { return slow.lift(slow.t + s, q_s, excess).C_s; });
  Vec across = slow.none;
  slow.ideal.constraint_times(t, slow.q, turned, across);
  a = slow.motion(t, slow.q, slow.w).a - turned + slow.lift(t, slow.q, across).C_s;
}

/// On the manifold A w' + gamma = sigma'. The rest is the motion under the ideal rows, where sigma' = 0.
void ReducedSystem::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  if (order_ == 0) return MechanismSystem::acceleration(t, q, v, a, lambda);
  Slow& slow = look_at(t, q, v);
  const Vec q_now = q, w = slow.w, w_rate = slow.motion(t, q_now, w).a;
  const Vec sigma_rate = slow.along(
      w, [&](double s, const Vec& q_s) -> Vec { return look_at(t + s, q_s, w + s * w_rate).sigma; });
  const mechanics::AllRows all(slow.ideal.parts().rows);
  slow.ideal.acceleration(t, q_now, w, a, lambda);
  const auto [C_s, M_s] = slow.lift(t, q_now, sigma_rate);
  a += C_s, lambda += M_s;
}

// ---- capabilities. At order 0, power and choices are those of the mechanism; the velocity map projects.

const VelocityMap* ReducedSystem::velocity_map() const {
  return order_ > 0 || MechanismSystem::velocity_map() ? this : nullptr;
}
const PoweredRows* ReducedSystem::power() const { return order_ > 0 ? this : MechanismSystem::power(); }
StepChoices& ReducedSystem::choices() const { return order_ > 0 ? *slow_ : MechanismSystem::choices(); }

bool ReducedSystem::conserves_energy() const { return MechanismSystem::power()->conserves_energy(); }
double ReducedSystem::load_power(double t, VecIn q, VecIn v) const {
  return MechanismSystem::power()->load_power(t, q, v);
}
void ReducedSystem::row_offsets(double t, VecIn q, VecOut a0) const {
  MechanismSystem::power()->row_offsets(t, q, a0);
}
void ReducedSystem::acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const {
  const Vec w = look_at(t, q, v).w;
  acceleration(t, q, v, a);
  Vec of_friction(nv());
  MechanismSystem::power()->acceleration_and_power(t, q, w, of_friction, power);
}

void ReducedSystem::slips(double t, VecIn q, VecIn v, VecOut sigma_1, VecOut sigma_2) const {
  Slow& slow = *slow_;
  slow.stand_at(t, q, v);
  const auto [a, lambda] = slow.motion(t, slow.q, slow.u);
  const Vec first = slow.slip_under(lambda);
  sigma_2 = slow.second_slip(first, a);
  sigma_1 = first;
}

}  // namespace torsor
