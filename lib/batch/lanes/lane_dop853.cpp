// Compiled once for each instruction set. Separate from the other methods, because its stages are unrolled.
#include "lane_method.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace torsor::batch {

template <>
std::unique_ptr<LaneStepper> make_dop853_lanes<compiled_isa>(const Model* model) {
  if (model) return std::make_unique<LaneMethod<TreeLanes, RkmkDop853>>(model);
  return std::make_unique<LaneMethod<TopLanes, RkmkDop853>>(model);
}

}  // namespace torsor::batch
