#include "model/velocity_units.hpp"

#include "torsor/model/joint_kind.hpp"

namespace torsor::mechanics {

Vec velocity_units(const Model& model, double length) {
  Vec units = Vec::Ones(model.nv());
  for (int i = 0; i < model.size(); ++i) {
    int at = model.v_begin[i];
    for (const JointRate& rate : joint_type(model.kind[i]).rates)
      units[at++] = rate.unit == "m/s" ? length : 1;
  }
  return units;
}

}  // namespace torsor::mechanics
