#pragma once

#include <vector>

#include "torsor/integrators/system.hpp"
#include "torsor/model/forces.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor::mechanics {

/// The own states of a mechanism, and the kinks and samples of its functions of the state.
///
/// The argument v of all functions here holds the velocities of the tree; the own states z may follow them.
class MechanismControl final : public OwnStates, public Switching {
 public:
  /// Keeps references to the arguments. The functions here overwrite the kinematics in `work`.
  MechanismControl(const Model& model, const Forces& forces, Workspace<double>& work);

  int count() const override { return count_; }
  void set(VecIn z) const override;
  void rates(double t, VecIn q, VecIn v, VecOut out) const override;

  int kinks() const override;
  std::string name(int kink) const override;
  void functions(double t, VecIn q, VecIn v, VecOut values) const override;
  bool functions_of_time(double t, VecOut values) const override;
  void hold(std::span<const signed char> sides) const override;
  double next_sample(double begin, double t) const override;
  void sample(double begin, double t, VecIn q, VecOut v) const override;

  /// From now on, `others`, the forces of another system of the same mechanism, get the same z and sides.
  void lead(const Forces& others) const;

 private:
  void place(VecIn q, VecIn v) const;

  const Model& model_;
  const Forces& forces_;
  Workspace<double>& work_;
  const int count_;
  mutable std::vector<const Forces*> others_;
};

}  // namespace torsor::mechanics
