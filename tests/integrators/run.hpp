#pragma once

#include <doctest/doctest.h>

#include <string>

#include "support/greatest.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::test {

/// Takes n equal steps from t to t_end; each must be accepted.
inline State run(Stepper& stepper, const System& system, State x, double t, double t_end, int n) {
  const double h = (t_end - t) / n;
  for (int i = 0; i < n; ++i) {
    const StepStatus status = stepper.do_step(system, x, t + i * h, h);
    REQUIRE_MESSAGE(status == StepStatus::accepted, stepper.message());
  }
  return x;
}
inline State run(std::string_view method, const System& system, const State& x, double t, double t_end,
                 int n) {
  return run(*find_method(method)->make(), system, x, t, t_end, n);
}

/// The greatest component of (log(a^-1 b), difference of velocities).
inline double distance(const System& system, const State& a, const State& b) {
  Vec xi(system.nv());
  system.local_difference(a.q, b.q, xi);
  return greatest(xi, a.v - b.v);
}

/// Calls body(method, treatment) for each method and each treatment that works on the constrained state
/// itself.
template <class Body>
void for_each_form(const Body& body) {
  for (const MethodInfo& method : methods()) {
    for (const Treatment treatment : method.treatments) {
      if (treatment > Treatment::index_1) continue;
      CAPTURE(std::string(method.name));
      CAPTURE(std::string(to_string(treatment)));
      body(method, treatment);
    }
  }
}

}  // namespace torsor::test
