// Compiled for lane_isa.
#include "lane_fields.hpp"
#include "lane_kernel.hpp"
#include "run/lanes/lane_method.hpp"
#include "run/lanes/top_lanes.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/detail/rkmk_odeint.hpp"

namespace torsor::batch {
namespace {

template <class Field>
std::unique_ptr<mechanics::LaneStepper> make(std::string_view method, const Model* model) {
  if (method == "rkmk4") return std::make_unique<mechanics::LaneMethod<Field, Rkmk4>>(model);
  if (method == "rkmk-ck54") return std::make_unique<mechanics::LaneMethod<Field, RkmkCk54>>(model);
  if (method == "cf4") return std::make_unique<mechanics::LaneMethod<Field, Cf4>>(model);
  return make_pair_stepper(method, model);
}

}  // namespace

static_assert(compiled_isa == lane_isa && lanes<Pack> == lane_width);

std::unique_ptr<mechanics::LaneStepper> make_lane_stepper(std::string_view method, const Model* model) {
  return model ? make<TreeLanes>(method, model) : make<mechanics::TopLanes<Pack>>(method, model);
}

}  // namespace torsor::batch
