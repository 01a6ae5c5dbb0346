#pragma once

#include <Eigen/Core>

namespace torsor::linear {

/// The greatest absolute value: 0 of no values, NaN if any value is NaN. Eigen's maxCoeff and
/// lpNorm<Infinity> can drop a NaN. For two numbers, use max_or_nan (torsor/lie/scalar.hpp).
template <class Values>
double greatest(const Eigen::DenseBase<Values>& values) {
  return values.size() > 0 ? values.derived().array().abs().template maxCoeff<Eigen::PropagateNaN>() : 0;
}

}  // namespace torsor::linear
