#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "lane_kernel.hpp"
#include "run/lanes/lane_taker.hpp"
#include "torsor/batch/study.hpp"

namespace torsor::batch {

/// Cases that one thread runs at once, one in each lane of a pack. Each case is an ordinary run with its
/// own step sizes, control, outputs and events, in its own fiber. A fiber that needs a step of an explicit
/// method waits; when all fibers wait, their steps are taken together. A lane whose case has ended
/// continues with the next case. The result of a case has the same bits as its run alone.
class Lanes {
 public:
  /// The number of lanes for this processor. It is 1 if cases of the study cannot share steps: the processor
  /// has no AVX2 (x86-64), or the build has no fibers, or the scene is not a tree of at most 64 bodies under
  /// constant gravity alone, or it consists of several tops, or it has constraints, own states or a method
  /// that does not run in lanes.
  static int count(const Study& study);

  /// The lanes of the calling thread, nullptr if it has none.
  static Lanes* here();

  explicit Lanes(int count) : lanes_(static_cast<std::size_t>(count)), steps_(lanes_.size()) {}

  /// Runs body(lane) for all lanes until all have returned. Calls `entered(lane)` whenever a lane starts or
  /// resumes.
  void run(const std::function<void(int lane)>& body, const std::function<void(int lane)>& entered);

  /// The cases that can step together: those with the same method and the same numbers.
  struct Group {
    std::string method;
    std::vector<double> kind;
    std::unique_ptr<mechanics::LaneStepper> stepper;
  };
  /// The group with this method and these numbers.
  std::shared_ptr<Group> group(const std::string& method, std::vector<double> kind);

  /// Takes a step for the lane that runs now, together with the other lanes of its group. If it is not taken
  /// afterwards, the caller must take it itself. `model` is nullptr for single tops.
  void take(mechanics::LaneStep& step, Group& group, const Model* model);

 private:
  struct Lane {
    std::unique_ptr<Fiber> fiber;
    mechanics::LaneStep* waiting = nullptr;
    Group* group = nullptr;
    const Model* model = nullptr;
    long round = 0;  ///< the last round in which a step was taken
  };

  bool step_together();
  void take_group(std::size_t first);

  std::vector<Lane> lanes_;
  std::vector<std::shared_ptr<Group>> groups_;
  std::vector<mechanics::LaneStep*> steps_;
  long round_ = 0;  ///< number of calls of step_together
  std::size_t now_ = 0;
};

/// Takes the steps of one case in the lanes of its thread.
class CaseTaker final : public mechanics::LaneTaker {
 public:
  CaseTaker(Lanes& lanes, std::string method) : LaneTaker(std::move(method)), lanes_(lanes) {}
  /// The method of the case, whose steps this object takes; it must outlive the stepper. Only for methods
  /// with runs_in_lanes.
  std::unique_ptr<Stepper> make_method();

 private:
  bool accept(const Model& model, bool is_top) override;
  void take(mechanics::LaneStep& step) override;

  Lanes& lanes_;
  const Model* model_ = nullptr;
  std::shared_ptr<Lanes::Group> group_;  ///< of the cases that this one can step with
};

}  // namespace torsor::batch
