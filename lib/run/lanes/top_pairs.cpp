// Separate from top_taker.cpp, so that after a change of explicit_pair.hpp only the methods that use it are
// compiled again.
#include "top_pairs.hpp"

#include "run/lanes/lane_method.hpp"
#include "run/lanes/top_lanes.hpp"
#include "torsor/integrators/detail/rkmk_dopri5.hpp"
#include "torsor/integrators/detail/rkmk_fehlberg78.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

namespace torsor::mechanics {
namespace {

template <template <class> class Method>
std::unique_ptr<LaneStepper> make_pair() {
  return std::make_unique<LaneMethod<TopLanes<double>, Method>>(nullptr);
}

}  // namespace

std::unique_ptr<LaneStepper> make_top_pair(std::string_view method) {
  if (method == "rkmk-dopri5") return make_pair<RkmkDopri5>();
  if (method == "rkmk-dop853") return make_pair<RkmkDop853>();
  if (method == "rkmk-dopri8") return make_pair<RkmkDopri8>();
  if (method == "rkmk-fehlberg78") return make_pair<RkmkFehlberg78>();
  return nullptr;
}

}  // namespace torsor::mechanics
