#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/integrators/status.hpp"
#include "torsor/integrators/system.hpp"
#include "torsor/integrators/treatment.hpp"

namespace torsor {

/// One step that an explicit method asks for: from x by h, into `next` with the local error, the algebra
/// vector of the step (empty where the method has none of its own) and, for first-same-as-last methods, the
/// acceleration at its end.
struct StepRequest {
  const State& x;
  double t, h;
  const Vec* slope;  ///< (v; a) at x, nullptr where nobody knows it
  State& next;
  Vec* error;  ///< nullptr where nobody asks for it
  Vec &chart, &last_acceleration;
  long evaluations = 0;
};

/// Takes the steps of explicit methods in their stead, with the same bits: those of many runs at once.
class StepTaker {
 public:
  virtual ~StepTaker() = default;
  /// False where the method is to take this one itself.
  virtual bool take(const System& system, StepRequest& request) = 0;
};

/// One method. Steppers hold scratch only: all that a method remembers is in the state, so one stepper can
/// take a side step from an earlier state without disturbing the main ones.
class Stepper {
 public:
  virtual ~Stepper() = default;

  virtual int order() const = 0;
  /// Order of the embedded solution, 0 where the method estimates no error.
  virtual int embedded_order() const { return 0; }

  /// Advances x from t to t + h. On any status but `accepted` x is what it was and `message()` says why.
  /// `error`, where the method has an embedded solution, receives the estimated local error (xi; dv), size 2
  /// nv. The first step sizes the scratch; later ones do not touch the heap.
  virtual StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) = 0;

  /// Leaves the arithmetic of steps to somebody else, who lives longer; explicit methods do.
  virtual void hand_over(StepTaker&) {}

  /// The multipliers at x, where the method leaves its own in x; false where it does not, and those of
  /// ConstrainedSystem::acceleration are the ones.
  virtual bool multipliers(const State&, VecOut) const { return false; }

  /// Number of acceleration evaluations so far.
  virtual long evaluations() const = 0;
  /// What went wrong in the last failed step, e.g. "residual 3e-4 after 20 Newton iterations".
  virtual std::string message() const { return {}; }

  /// Why this method cannot integrate this system, or nothing.
  virtual std::optional<std::string> why_unsuitable(const System&) const { return std::nullopt; }
};

/// One line of the list of methods.
struct MethodInfo {
  std::string_view name;  ///< as in a scene: "rkmk-dopri5"
  int order;
  int embedded_order;          ///< 0: no error estimate of its own
  std::string_view keeps;      ///< what it preserves besides the group: "symplectic, time-symmetric"
  std::string_view reference;  ///< where it comes from
  bool fixed_step_only;        ///< variable steps would destroy what it keeps
  std::span<const Treatment> treatments;  ///< of constraints that it takes, its default first; or none
  std::unique_ptr<Stepper> (*maker)(Treatment);
  /// Whose autoparallels its steps follow: exponentials are those of every "canonical" connection of the
  /// group, geodesics those of the "christoffel" one of the metric.
  std::string_view connection = "canonical";

  /// For systems without constraints.
  std::unique_ptr<Stepper> make() const { return maker(Treatment::minimal); }
  /// For constrained systems by one of its treatments.
  std::unique_ptr<Stepper> make(Treatment treatment) const { return maker(treatment); }
  bool takes(Treatment treatment) const;
  /// Whether energy of fast motions is taken away by design.
  bool damps() const { return keeps.starts_with("damps"); }
};

/// Every method, in the order in which `torsor methods` prints them.
const std::vector<MethodInfo>& methods();

/// The method of that name; nullptr when there is none.
const MethodInfo* find_method(std::string_view name);

}  // namespace torsor
