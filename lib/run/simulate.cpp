#include "torsor/run/simulate.hpp"

#include "floating_point.hpp"
#include "run_system.hpp"

namespace torsor {

RunSummary simulate(const System& system, const State& start, const SimulationOptions& options,
                    const Observer& observer) {
  const mechanics::DefaultArithmetic arithmetic;
  const Observer none;
  const auto run_loop = [&](const System& all) {
    return mechanics::StepLoop(all, options, observer, none, none).run(start);
  };
  RunSummary summary =
      system.own_states() ? mechanics::extended(system, false, options, run_loop) : run_loop(system);
  arithmetic.note_in(summary.note);
  return summary;
}

}  // namespace torsor
