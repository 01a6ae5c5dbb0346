#include "torsor/run/simulate.hpp"

#include "floating_point.hpp"
#include "step_loop.hpp"

namespace torsor {

RunSummary simulate(const System& system, const State& start, const SimulationOptions& options,
                    const Observer& observer) {
  const mechanics::DefaultArithmetic arithmetic;
  const Observer none;
  RunSummary summary = mechanics::StepLoop(system, options, observer, none).run(start);
  arithmetic.note_in(summary.note);
  return summary;
}

}  // namespace torsor
