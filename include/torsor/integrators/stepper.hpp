#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/integrators/system.hpp"
#include "torsor/integrators/treatment.hpp"
#include "torsor/lie/status.hpp"

namespace torsor {

/// One method. A stepper holds only scratch; all data that a method keeps between steps is in the state. One
/// stepper can therefore take a side step from an earlier state without disturbing the main steps.
class Stepper {
 public:
  virtual ~Stepper() = default;

  virtual int order() const = 0;
  /// Order of the embedded solution, 0 if the method has no error estimate.
  virtual int embedded_order() const { return 0; }

  /// Advances x from t to t + h. On any status but `accepted`, x is unchanged and `message()` says why.
  /// If the method has an embedded solution, `error` receives the estimated local error (xi; dv), of size
  /// 2 nv. The first step sizes the scratch; later steps do not allocate memory, except in evaluations of the
  /// system.
  virtual StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) = 0;

  /// The multipliers at x if the method stored its own in x. If it returns false, the multipliers are those
  /// of ConstrainedSystem::acceleration.
  virtual bool multipliers(const State&, VecOut) const { return false; }

  /// Number of acceleration evaluations so far.
  virtual long evaluations() const = 0;
  /// What went wrong in the last failed step, e.g. "residual 3e-04 after 20 Newton iterations".
  virtual std::string message() const { return {}; }
  /// The part of the mechanism to which that message belongs, if it is a single one.
  Part part() const { return part_; }

  /// Why this method cannot integrate this system, or nothing.
  virtual std::optional<std::string> why_unsuitable(const System&) const { return std::nullopt; }

 protected:
  Part part_ = {};
};

/// The connection whose autoparallels steps follow. The canonical connections of a group share their
/// autoparallels, the exponentials. They differ in torsion, curvature and parallel transport (canonical.hpp),
/// and only `canonical_plus` gives the motion for every inertia.
enum class StepConnection { canonical_minus, canonical_zero, canonical_plus, christoffel };
/// "canonical (-)", "canonical (0)", "canonical (+)", "christoffel".
const char* to_string(StepConnection connection);
/// The connection with this name in scenes: "canonical-minus", "canonical-zero", "canonical-plus" (also named
/// "canonical") or "christoffel".
std::optional<StepConnection> find_step_connection(std::string_view name);

/// One entry of the list of methods.
struct MethodInfo {
  std::string_view name;  ///< as in a scene: "rkmk-dopri5"
  int order;
  int embedded_order;                     ///< 0: no error estimate of its own
  std::string_view keeps;                 ///< properties besides the group: "symplectic, time-symmetric"
  std::string_view reference;             ///< source of the method
  bool fixed_step_only;                   ///< multistep, or a variable step size would destroy `keeps`
  std::span<const Treatment> treatments;  ///< of constraints; the default first; may be empty
  std::unique_ptr<Stepper> (*maker)(Treatment);
  /// The connection whose autoparallels its steps follow: "canonical" for exponentials (autoparallels of
  /// every canonical connection of the group), "christoffel" for geodesics of the metric.
  std::string_view connection = "canonical";

  /// For systems without constraints.
  std::unique_ptr<Stepper> make() const { return maker(Treatment::minimal); }
  /// For constrained systems, with one of its treatments.
  std::unique_ptr<Stepper> make(Treatment treatment) const { return maker(treatment); }
  bool takes(Treatment treatment) const;
  /// Whether its steps follow the autoparallels of the connection.
  bool follows(StepConnection wanted) const {
    return (wanted == StepConnection::christoffel) == (connection == "christoffel");
  }
  /// Whether the method dissipates the energy of fast motions by design.
  bool damps() const { return keeps.starts_with("damps"); }
};

/// Every method, in the order in which `torsor methods` prints them.
const std::vector<MethodInfo>& methods();

/// The first method of the list whose steps follow the autoparallels of the connection.
const MethodInfo& first_method_along(StepConnection connection);

/// The method with this name; nullptr if there is none.
const MethodInfo* find_method(std::string_view name);

}  // namespace torsor
