#pragma once

#include <string>

#include "torsor/integrators/system.hpp"

namespace torsor {

/// Whether a motion by xi from q to q_next turned some rotation by pi or more. Beyond pi the logarithm of the
/// motion differs from xi, and the exponential charts are near their singularity at 2 pi. If the magnitude of
/// every coordinate of xi is below pi / sqrt 3, no angle of a rotation in space reaches pi, so the check
/// computes the logarithm for larger motions only.
class TurnCheck {
 public:
  static constexpr double sure = 1.8137;  ///< pi / sqrt 3, rad

  /// Whether the magnitude of no coordinate of xi reaches pi / sqrt 3.
  template <class Xi>
  static bool surely_near(const System& system, const Xi& xi) {
    return greatest(system, xi) < sure;
  }

  template <class Xi>
  bool too_far(const System& system, const Vec& q, const Vec& q_next, const Xi& xi, std::string& message) {
    if (surely_near(system, xi)) return false;
    difference_.resize(xi.size());
    system.local_difference(q, q_next, difference_);
    difference_ -= xi;
    if (greatest(system, difference_) <= 1e-6 * (1 + greatest(system, xi))) return false;
    message = "a rotation of more than half a turn in one step";
    return true;
  }

 private:
  template <class Xi>
  static double greatest(const System& system, const Xi& xi) {
    return xi.head(xi.size() - system.additions()).template lpNorm<Eigen::Infinity>();
  }

  Vec difference_;
};

}  // namespace torsor
