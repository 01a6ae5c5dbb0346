#include "first_step.hpp"

#include <algorithm>
#include <limits>

#include "torsor/integrators/step_control.hpp"

namespace torsor::mechanics {

double first_step(const System& system, const State& start, double t, double span, int error_order,
                  double tolerance) {
  Vec a(system.nv()), a_next(system.nv()), v_next, q_next(system.nq()), xi;
  system.acceleration(t, start.q, start.v, a);
  if (!a.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double rate = system.error_norm(start, start.v, a);

  double probe = probe_step(rate, span);
  const auto look_ahead = [&] {
    xi = probe * start.v;
    v_next = start.v + probe * a;
    system.retract(start.q, xi, q_next);
    system.acceleration(t + probe, q_next, v_next, a_next);
  };
  try {
    look_ahead();
  } catch (const EvaluationError& error) {  // a longer probe may pass a singular configuration
    if (error.status != StepStatus::singular) throw;
    probe = std::min(2 * probe, span);
    look_ahead();
  }
  xi = v_next - start.v;
  a_next -= a;
  const double change = system.error_norm(start, xi, a_next) / probe;
  return torsor::first_step(rate, change, tolerance, error_order);
}

}  // namespace torsor::mechanics
