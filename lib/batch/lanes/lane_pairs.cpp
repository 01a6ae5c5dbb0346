// Compiled for lane_isa. Separate from lane_kernels.cpp, so that after a change of explicit_pair.hpp only the
// methods that use this header are compiled again.
#include "lane_fields.hpp"
#include "lane_kernel.hpp"
#include "run/lanes/lane_method.hpp"
#include "run/lanes/top_lanes.hpp"
#include "torsor/integrators/detail/rkmk_dopri5.hpp"
#include "torsor/integrators/detail/rkmk_fehlberg78.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace torsor::batch {
namespace {

template <class Field>
std::unique_ptr<mechanics::LaneStepper> make(std::string_view method, const Model* model) {
  if (method == "rkmk-dopri5") return std::make_unique<mechanics::LaneMethod<Field, RkmkDopri5>>(model);
  if (method == "rkmk-fehlberg78")
    return std::make_unique<mechanics::LaneMethod<Field, RkmkFehlberg78>>(model);
  if (method == "rkmk-dop853") return std::make_unique<mechanics::LaneMethod<Field, RkmkDop853>>(model);
  return nullptr;
}

}  // namespace

std::unique_ptr<mechanics::LaneStepper> make_pair_stepper(std::string_view method, const Model* model) {
  return model ? make<TreeLanes>(method, model) : make<mechanics::TopLanes<Pack>>(method, model);
}

}  // namespace torsor::batch
