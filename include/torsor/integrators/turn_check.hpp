#pragma once

#include <string>

#include "torsor/integrators/system.hpp"

namespace torsor {

/// Whether a motion by xi from q to q_next turned some rotation by pi or more, where a single exponential no
/// longer tells how far it went and the charts come near their singularity at 2 pi. Below pi / sqrt 3 in each
/// coordinate no angle of a space rotation reaches pi, so the logarithm is taken for large steps alone.
class TurnCheck {
 public:
  static constexpr double surely_near = 1.8137;

  template <class Xi>
  bool too_far(const System& system, const Vec& q, const Vec& q_next, const Xi& xi, std::string& message) {
    const double greatest = xi.template lpNorm<Eigen::Infinity>();
    if (greatest < surely_near) return false;
    difference_.resize(xi.size());
    system.local_difference(q, q_next, difference_);
    difference_ -= xi;
    if (difference_.template lpNorm<Eigen::Infinity>() <= 1e-6 * (1 + greatest)) return false;
    message = "a rotation of more than half a turn in one step";
    return true;
  }

 private:
  Vec difference_;
};

}  // namespace torsor
