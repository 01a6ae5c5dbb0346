#include "top_taker.hpp"

#include "run/lanes/lane_method.hpp"
#include "run/lanes/lane_taker.hpp"
#include "run/lanes/top_lanes.hpp"
#include "top_pairs.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/detail/rkmk_odeint.hpp"

namespace torsor::mechanics {
namespace {

template <template <class> class Method>
std::unique_ptr<LaneStepper> make_top_method() {
  return std::make_unique<LaneMethod<TopLanes<double>, Method>>(nullptr);
}

std::unique_ptr<LaneStepper> make_top_stepper(std::string_view method) {
  if (method == "rkmk4") return make_top_method<Rkmk4>();
  if (method == "rkmk-ck54") return make_top_method<RkmkCk54>();
  if (method == "cf4") return make_top_method<Cf4>();
  return make_top_pair(method);
}

class TopTaker final : public LaneTaker {
 public:
  TopTaker(std::string_view method, std::unique_ptr<LaneStepper> stepper)
      : LaneTaker(std::string(method)), stepper_(std::move(stepper)) {}

 private:
  bool accept(const Model&, bool is_top) override { return is_top; }
  void take(LaneStep& step) override {
    LaneStep* const one = &step;
    stepper_->take(&one);
  }

  std::unique_ptr<LaneStepper> stepper_;
};

bool is_top(const System& system) {
  const auto* tree = dynamic_cast<const TreeSystem*>(&system);
  return tree && tree->model().size() == 1 && PivotedBodies::describe(tree->model());
}

}  // namespace

std::unique_ptr<StepTaker> make_top_taker(const System& system, std::string_view method) {
  if (!is_top(system)) return nullptr;
  auto stepper = make_top_stepper(method);
  return stepper ? std::make_unique<TopTaker>(method, std::move(stepper)) : nullptr;
}

}  // namespace torsor::mechanics
