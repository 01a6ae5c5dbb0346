#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "lane_kernel.hpp"
#include "torsor/batch/study.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::batch {

/// Cases that one thread runs at once, as many as a pack has lanes. Each is an ordinary run with its own
/// steps, control, outputs and events, in a fiber of its own; where it wants a step of an explicit method it
/// waits, and when all wait, their steps are taken together. A lane whose case has ended goes on with the
/// next. What a case gives has the bits of its run alone.
class Lanes {
 public:
  /// As many as the kernels of this processor have, or 1 where cases of the study would not share steps (or
  /// this build cannot let them): constraints, another method than the explicit ones, forces besides steady
  /// gravity.
  static int count(const Study& study);

  /// The lanes of the present thread, nullptr where it has none.
  static Lanes* here();

  explicit Lanes(int count) : lanes_(static_cast<std::size_t>(count)) {}

  /// Runs body(lane) for all lanes until all have returned. `entered(lane)` is told whenever a lane goes on.
  void run(const std::function<void(int lane)>& body, const std::function<void(int lane)>& entered);

  /// Takes a step for the lane that runs now, together with the others. False where it is to take it itself.
  /// `kind` tells which steps go together; the model is nullptr for single tops.
  bool take(LaneStep& step, const std::string& method, const std::vector<double>& kind, const Model* model);

 private:
  struct Lane {
    std::unique_ptr<Fiber> fiber;
    LaneStep* waiting = nullptr;
    const std::string* method = nullptr;
    const std::vector<double>* kind = nullptr;
    const Model* model = nullptr;
    bool taken = false;
  };
  /// The lanes of cases that step together.
  struct Group {
    std::string method;
    std::vector<double> kind;
    std::unique_ptr<LaneStepper> stepper;
  };

  bool step_together();
  void take_group(std::size_t first);
  LaneStepper* stepper_of(const Lane& lane);

  std::vector<Lane> lanes_;
  std::vector<Group> groups_;
  std::vector<LaneStep*> steps_;
  std::size_t now_ = 0;
};

/// Takes the steps of one case in the lanes of its thread; to be given to its run.
class LaneTaker final : public StepTaker {
 public:
  LaneTaker(Lanes& lanes, std::string method) : lanes_(lanes), method_(std::move(method)) {}
  bool take(const System& system, StepRequest& request) override;

 private:
  void look_at(const System& system);

  Lanes& lanes_;
  std::string method_;
  const System* system_ = nullptr;
  bool fits_ = false;
  const Model* model_ = nullptr;
  const sim::PivotedBody<double>* body_ = nullptr;
  std::vector<double> kind_;
};

}  // namespace torsor::batch
