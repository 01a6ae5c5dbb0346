#pragma once

#include <type_traits>
#include <utility>

#include "torsor/model/workspace.hpp"

namespace torsor::detail {

using spatial::Mat3;
using spatial::Sym3;
using spatial::Vec3;
using spatial::Vec6;

using joints::add_along;
using joints::column;
using joints::component;
using joints::Unit;

/// Calls f(s_0, s_1, ...) with the columns of the motion subspace of link i, in the frame M.
template <class Scalar, class F>
decltype(auto) with_axes(const Model& model, int i, const Mat3<Scalar>& R_PM, F&& f) {
  const joints::JointFrame<Scalar> at{model.group[i], model.pitch[i], model.R_PF[i], R_PM};
  return with_joint(model.kind[i], [&]<class Kind>(Kind) -> decltype(auto) { return Kind::axes(at, f); });
}

}  // namespace torsor::detail
