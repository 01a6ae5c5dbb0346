#pragma once

#include <Eigen/Core>

#include "torsor/lie/scalar.hpp"

/// Matrices of numbers that carry derivatives (Dual, Taylor) are small: their products are sums of
/// coefficients. Eigen's blocked products pay from about a hundred rows on; compiled for each of these
/// scalars, they are most of what a source that differentiates costs.
namespace torsor {

template <class S>
concept CarriesDerivatives = requires(const S& x) {
  ScalarOps<S>::value(x);
};

}  // namespace torsor

namespace Eigen::internal {

template <class Left, class Right>
requires torsor::CarriesDerivatives<typename Left::Scalar>
struct generic_product_impl<Left, Right, DenseShape, DenseShape, GemmProduct>
    : generic_product_impl<Left, Right, DenseShape, DenseShape, CoeffBasedProductMode> {
};

template <class Left, class Right>
requires torsor::CarriesDerivatives<typename Left::Scalar>
struct generic_product_impl<Left, Right, DenseShape, DenseShape, GemvProduct>
    : generic_product_impl<Left, Right, DenseShape, DenseShape, CoeffBasedProductMode> {
};

}  // namespace Eigen::internal
