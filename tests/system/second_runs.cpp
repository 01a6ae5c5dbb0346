// A run begins afresh, whatever the system did before.
#include <doctest/doctest.h>

#include "constrained.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/mechanism_system.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("a second run of a system under constraints has the same bits as a first run") {
  struct Case {
    const char* method;
    Treatment treatment;
    double step;  ///< 0: error control
  };
  FourBar open(1, 1.5, 1, 1.5, 1.1);
  const FourBar flat(1, 1.5, 1, 1.5, 0);
  open.mechanism.forces.push_back(
      {"spring", JointForce{3, 0, 0.3}});  // its joint closes the loop: its angle counts turns
  for (const auto formulation : {Formulation::tree, Formulation::absolute})
    for (const Case& one :
         {Case{"rkmk-dopri5", Treatment::index_1, 0}, Case{"hemk4", Treatment::index_2, 0.01},
          Case{"generalized-alpha", Treatment::stabilised_index_2, 0.01},
          Case{"rkmk4", Treatment::minimal, 0.01}, Case{"rkmk4", Treatment::dynamic, 0.01}}) {
      CAPTURE(std::string(one.method));
      CAPTURE(to_string(one.treatment));
      const Model model(open.mechanism, formulation);
      const State start = consistent_start(model, open.start);
      State other = consistent_start(model, flat.start);
      other.v = 30 * Vec::Ones(other.v.size());
      const MechanismSystem once(model, 1, one.treatment), twice(model, 1, one.treatment);
      twice.project_velocity(0, other.q, other.v);
      SimulationOptions options;
      options.method = one.method, options.constraints = one.treatment, options.t_end = 0.3;
      if (one.step > 0)
        options.step = one.step;
      else
        options.tolerance = 1e-6;
      const auto ends = [&](const MechanismSystem& system, const State& from) {
        return simulate(system, from, options, [](double, const State&) {});
      };
      ends(twice, other);
      const RunSummary first = ends(once, start), second = ends(twice, start);
      REQUIRE(first.status == StepStatus::reached_end);
      CHECK(second.status == first.status);
      CHECK(second.evaluations == first.evaluations);
      CHECK(second.general_solutions == first.general_solutions);
      CHECK(second.x.q == first.x.q);
      CHECK(second.x.v == first.x.v);
    }
}
