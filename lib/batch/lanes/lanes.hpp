#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "integrators/step_taker.hpp"
#include "lane_kernel.hpp"
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
  /// constant gravity alone, or it has constraints, own states or a method that does not run in lanes.
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
    std::unique_ptr<LaneStepper> stepper;
  };
  /// The group with this method and these numbers.
  std::shared_ptr<Group> group(const std::string& method, std::vector<double> kind);

  /// Takes a step for the lane that runs now, together with the other lanes of its group. If it is not taken
  /// afterwards, the caller must take it itself. `model` is nullptr for single tops.
  void take(LaneStep& step, Group& group, const Model* model);

 private:
  struct Lane {
    std::unique_ptr<Fiber> fiber;
    LaneStep* waiting = nullptr;
    Group* group = nullptr;
    const Model* model = nullptr;
    long round = 0;  ///< the last round in which a step was taken
  };

  bool step_together();
  void take_group(std::size_t first);

  std::vector<Lane> lanes_;
  std::vector<std::shared_ptr<Group>> groups_;
  std::vector<LaneStep*> steps_;
  long round_ = 0;  ///< number of calls of step_together
  std::size_t now_ = 0;
};

/// Takes the steps of one case in the lanes of its thread.
class LaneTaker final : public StepTaker {
 public:
  LaneTaker(Lanes& lanes, std::string method) : lanes_(lanes), method_(std::move(method)) {}
  /// The method of the case, whose steps this object takes; it must outlive the stepper. Only for methods
  /// with runs_in_lanes.
  std::unique_ptr<Stepper> make_method();
  bool take(const System& system, StepRequest& request) override;
  void take_between_outputs(const System& system, StepsBetweenOutputs& steps, Vec& a) override;

 private:
  /// The step that follows steps between outputs; the run asks for it next.
  struct Coming {
    bool known = false;
    double t = 0, h = 0;
    State next;
    Vec error, chart, last_acceleration;
    long evaluations = 0;
  };

  void look_at(const System& system);
  bool give_coming(StepRequest& request);

  Lanes& lanes_;
  std::string method_;
  const System* system_ = nullptr;
  const Model* model_ = nullptr;
  double length_ = 0;                            ///< LinkLengths::greatest
  bool estimates_ = false;                       ///< whether the method has an error estimate
  std::optional<mechanics::PivotedBodies> top_;  ///< the model as a single top, if it is one
  std::shared_ptr<Lanes::Group> group_;          ///< nullptr if the system cannot run in lanes
  Coming coming_;
  Vec a_last_;
};

}  // namespace torsor::batch
