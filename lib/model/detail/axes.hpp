#pragma once

#include <type_traits>
#include <utility>

#include "reversed_joint.hpp"
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

template <class Scalar, class F>
[[gnu::noinline]] void with_reversed_axes(const Model& model, int i, const joints::JointFrame<Scalar>& at,
                                          const Vec3<Scalar>& p_PM, F&& f) {
  const Vec3<Scalar> p_FM = p_PM - Vec3<Scalar>(model.p_PF[i]);
  with_reversed(model.kind[i], [&]<class Kind>(Kind) { Kind::axes(at, p_FM, f); });
}

/// Calls f(s_0, s_1, ...) with the columns of the motion subspace of link i, in the frame M.
template <class Scalar, class F>
void with_axes(const Model& model, int i, const spatial::LocalMotion<Scalar>& local, F&& f) {
  const joints::JointFrame<Scalar> at{model.group[i], model.pitch[i], model.R_PF[i], local.R_PM};
  if (model.moves_inversely[i]) [[unlikely]]
    return with_reversed_axes(model, i, at, local.p_PM, f);
  with_joint(model.kind[i], [&]<class Kind>(Kind) { Kind::axes(at, f); });
}

}  // namespace torsor::detail
