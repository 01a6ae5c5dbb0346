#include "first_step.hpp"

#include <limits>

#include "torsor/integrators/step_control.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {

double first_step(const System& system, const State& start, double t, double span, int error_order,
                  double tolerance) {
  Vec a(system.nv()), a_next(system.nv()), v_next, q_next(system.nq()), xi;
  system.acceleration(t, start.q, start.v, a);
  if (!a.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double rate = system.error_norm(start, start.v, a);

  const double probe = probe_step(rate, span);
  xi = probe * start.v;
  v_next = start.v + probe * a;
  system.retract(start.q, xi, q_next);
  try {
    system.acceleration(t + probe, q_next, v_next, a_next);
  } catch (const EvaluationError& error) {
    if (error.status != StepStatus::singular) throw;
    a_next.setConstant(std::numeric_limits<double>::quiet_NaN());  // the change is then left out
  }
  xi = v_next - start.v;
  a_next -= a;
  const double change = system.error_norm(start, xi, a_next) / probe;
  return torsor::first_step(rate, change, tolerance, error_order);
}

}  // namespace torsor::mechanics
