#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace torsor {

/// How constraints enter the equations that a method integrates. Hairer, Wanner, Solving ODEs II, VII.1.
enum class Treatment {
  index_3,             ///< phi = 0 at the end of a step
  index_2,             ///< A v + a0 = 0 at the end of a step, then q projected along the metric
  stabilised_index_2,  ///< both, with multipliers for the positions too (Gear, Gupta, Leimkuhler)
  index_1,             ///< multipliers eliminated, q and v projected along the metric after a step
  minimal,             ///< velocities v = N u + nu; the method integrates a system without constraints
  dynamic,             ///< constraint inertia, damping and stiffness; the method as for minimal
  viscous,             ///< strong friction in place of nonholonomic rows; the method as for minimal
};

/// Parameters of the treatments of constraints.
struct TreatmentParameters {
  double rate = 20;          ///< dynamic: omega_s, rad/s, ten times or more the highest frequency of interest
  double damping_ratio = 1;  ///< dynamic: zeta
  bool floors = true;        ///< dynamic: raise damping and stiffness to at least 2 zeta omega_s, omega_s^2
  double mu = 1;             ///< viscous: friction, N s/m (N m s on rows of torque)
  double eps = 1e-2;         ///< viscous: the friction is mu/eps
  std::optional<int> reduced_order = {};  ///< viscous: motion on the slow manifold, to this power of eps
};

/// All treatments, in the order above.
std::span<const Treatment> treatments();
/// "index-3", "stabilised-index-2", ...
std::string_view to_string(Treatment treatment);
std::optional<Treatment> find_treatment(std::string_view name);

}  // namespace torsor
