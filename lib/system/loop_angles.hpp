#pragma once

#include <vector>

#include "torsor/integrators/system.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor::mechanics {

/// The angles of the joints outside the tree, with full turns (declared_motion).
class LoopAngles final : public CountedAngles {
 public:
  /// Keeps references to the arguments. `rate` and `follow` overwrite the kinematics in `work`.
  LoopAngles(const Model& model, Workspace<double>& work);

  bool any() const { return !joints_.empty(); }
  void begin_run() const override;
  double rate(VecIn q, VecIn v) const override;
  double follow(VecIn q, VecIn v) const override;
  /// From now on, `other` has the same turns. `other` must live as long as this object.
  void share(const Workspace<double>& other) const;
  /// As `share`, for `other` and everything that `other` passes its turns on to.
  void lead(const LoopAngles& other) const;

 private:
  struct Joint {
    int index;
    std::vector<int> counted;  ///< coordinates
  };
  void pass_on() const;

  const Model& model_;
  Workspace<double>& work_;
  std::vector<Joint> joints_;  ///< outside the tree, with an angle that counts turns
  mutable std::vector<const Workspace<double>*> others_;
  mutable std::vector<const LoopAngles*> led_;
};

}  // namespace torsor::mechanics
