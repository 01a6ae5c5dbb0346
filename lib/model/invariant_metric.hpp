#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torsor/model/dynamics.hpp"
#include "torsor/model/forces.hpp"

namespace torsor {

/// The constant mass matrix G of a tree, a left-invariant metric on its group. The equations of motion have
/// the form of those of a rigid body:
///
///   G v' = ad*_v G v + f(t, q),   f from forces that do not depend on velocities.
///
/// G is constant if a joint connects each body to the ground, or to a body that is fixed to the ground, and
/// the inertia of this joint is constant (JointType::why_metric_varies is empty, Model::moves_inversely is
/// not set). Bodies that are fixed to such a body are parts of it.
///
/// Keeps references to the model and its forces, which must outlive this object.
class InvariantMetric {
 public:
  InvariantMetric(const Model& model, const Forces& forces);

  /// Why the equations do not have this form, as a sentence that names the body or the force; empty if they
  /// have it. The functions below are defined only if `why_not` is empty.
  const std::optional<std::string>& why_not() const { return why_not_; }
  void momentum(VecIn v, VecOut p) const;          ///< p = G v
  void momentum_inverse(VecIn p, VecOut v) const;  ///< v = G^-1 p
  /// f(t, q): all forces, including uniform gravity, in joint coordinates.
  void position_force(double t, VecIn q, Workspace<double>& work, Loads<double>& loads, VecOut f) const;

 private:
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  struct Block {
    int begin;
    Square G, G_inverse;
  };

  const Model* model_;
  const Forces* forces_;
  Vec rest_;
  std::optional<std::string> why_not_;
  std::vector<Block> blocks_;
};

}  // namespace torsor
