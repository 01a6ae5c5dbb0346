#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torsor/model/dynamics.hpp"
#include "torsor/model/forces.hpp"

namespace torsor {

/// The mass matrix G of a tree where it is the same at every configuration, so that the tree is a rigid body
/// of sorts on its group:
///
///   G v' = ad*_v G v + f(t, q),   f from forces that do not depend on velocities.
///
/// This is so where each body hangs on the ground, or on what is fixed to it, by a joint whose inertia stays
/// the same: all kinds but universal; planar and free joints of the direct product need the mass centre on
/// the joint's axis or point. Bodies that are fixed to such a body move with it.
///
/// Refers to the model and its forces, which must live longer.
class InvariantMetric {
 public:
  InvariantMetric(const Model& model, const Forces& forces);

  /// Why the tree has no such form, naming the body or the force, or nothing; then the rest is defined.
  const std::optional<std::string>& why_not() const { return why_not_; }
  void momentum(VecIn v, VecOut p) const;          ///< p = G v
  void momentum_inverse(VecIn p, VecOut v) const;  ///< v = G^-1 p
  /// f(t, q): all forces, uniform gravity among them, in joint coordinates.
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
