#pragma once

#include <optional>
#include <string>

#include "run/lanes/lane_step.hpp"
#include "torsor/system/tree_system.hpp"

namespace torsor::mechanics {

/// Takes the steps of one run by a LaneStepper.
class LaneTaker : public StepTaker {
 public:
  bool take(const System& system, StepRequest& request) final;
  /// True for single tops: their error norm is known in lanes.
  bool takes_outputs(const System& system) final;
  void take_with_outputs(const System& system, StepsWithOutputs& steps, Vec& a) final;

 protected:
  explicit LaneTaker(std::string method) : method_(std::move(method)) {}
  const std::string& method() const { return method_; }

  /// Prepares for the steps of a system; `is_top`: it is a single top. Returns whether this object takes the
  /// steps.
  virtual bool accept(const Model& model, bool is_top) = 0;
  /// Takes the step, and sets `taken`. Where `taken` stays false, the method takes the step itself.
  virtual void take(LaneStep& step) = 0;

 private:
  /// The step that follows steps with outputs; the run asks for it next.
  struct Coming {
    bool known = false;
    double t = 0, h = 0;
    State next;
    Vec error, chart, last_acceleration;
    long evaluations = 0;
  };

  void look_at(const System& system);
  bool give_coming(StepRequest& request);

  std::string method_;
  const System* system_ = nullptr;
  bool accepted_ = false;             ///< whether steps of system_ are taken
  double length_ = 0;                 ///< LinkLengths::greatest
  std::optional<PivotedBodies> top_;  ///< the model as a single top, if it is one
  Coming coming_;
  Vec a_last_;
};

}  // namespace torsor::mechanics
