#include "geodesic_verlet.hpp"

#include "free_bodies.hpp"
#include "guard.hpp"
#include "memory.hpp"

namespace torsor {

std::optional<std::string> GeodesicVerlet::why_unsuitable(const System& system) const {
  return why_not_free_bodies(system);
}

StepStatus GeodesicVerlet::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, part_, h, [&] { return step(system, x, t, h); });
}

void GeodesicVerlet::kick(const EulerPoincare& equations, double h, Vec& v) {
  change_.resize(v.size());
  equations.momentum_inverse(force_, change_);
  v += h / 2 * change_;
}

StepStatus GeodesicVerlet::step(const System& system, State& x, double t, double h) {
  const EulerPoincare& equations = euler_poincare_of(system);
  force_.resize(system.nv());
  if (memory::holds(x, memory::Kind::force, t)) {
    force_ = memory::values(x);
  } else {
    ++evaluations_;
    equations.position_force(t, x.q, force_);
  }
  next_.q = x.q;
  next_.v = x.v;
  kick(equations, h, next_.v);
  if (const StepStatus status = flow_.follow(system, next_, h); status != StepStatus::accepted) {
    message_ = flow_.message();
    return status;
  }
  ++evaluations_;
  equations.position_force(t + h, next_.q, force_);
  kick(equations, h, next_.v);

  if (!finite(next_, message_)) return StepStatus::non_finite;
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind::force, t + h, force_);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_geodesic_verlet() { return std::make_unique<GeodesicVerlet>(); }

}  // namespace torsor
