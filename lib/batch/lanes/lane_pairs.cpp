// Compiled for lane_isa. Separate from lane_kernels.cpp, so that after a change of explicit_pair.hpp only the methods
// that use this header are compiled again.
#include "lane_method.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace torsor::batch {
namespace {

template <class Field>
std::unique_ptr<LaneStepper> make(std::string_view method, const Model* model) {
  if (method == "rkmk-dopri5") return std::make_unique<LaneMethod<Field, RkmkDopri5>>(model);
  if (method == "rkmk-dop853") return std::make_unique<LaneMethod<Field, RkmkDop853>>(model);
  return nullptr;
}

}  // namespace

std::unique_ptr<LaneStepper> make_pair_stepper(std::string_view method, const Model* model) {
  return model ? make<TreeLanes>(method, model) : make<TopLanes>(method, model);
}

}  // namespace torsor::batch
