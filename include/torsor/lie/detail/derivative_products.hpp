#pragma once

#include <Eigen/Core>
#include <cassert>

#include "torsor/lie/scalar.hpp"

/// Matrices of numbers that carry derivatives (Dual, Taylor) are small, so each entry of their products is
/// computed as a sum. Eigen's blocked products pay off only from about a hundred rows. Compiled for each of
/// these scalars, they would take most of the compilation time of a source that differentiates.
namespace torsor {

template <class S>
concept CarriesDerivatives = requires(const S& x) {
  ScalarOps<S>::value(x);
};

/// For these scalars, sums and products of matrices are matrices instead of Eigen's expressions, with the
/// same bits. Each expression would be one more type to compile.
template <CarriesDerivatives S, int rows, int cols>
Eigen::Matrix<S, rows, cols> operator+(Eigen::Matrix<S, rows, cols> A,
                                       const Eigen::Matrix<S, rows, cols>& B) {
  assert(A.rows() == B.rows() && A.cols() == B.cols());
  for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] += B.data()[i];
  return A;
}
template <CarriesDerivatives S, int rows, int cols>
Eigen::Matrix<S, rows, cols> operator-(Eigen::Matrix<S, rows, cols> A,
                                       const Eigen::Matrix<S, rows, cols>& B) {
  assert(A.rows() == B.rows() && A.cols() == B.cols());
  for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] -= B.data()[i];
  return A;
}
template <CarriesDerivatives S, int rows, int cols>
Eigen::Matrix<S, rows, cols> operator*(const S& factor, Eigen::Matrix<S, rows, cols> A) {
  for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = factor * A.data()[i];
  return A;
}
/// (A B)(i, j) = A(i, 0) B(0, j) + A(i, 1) B(1, j) + ... The product of a row and a column stays an
/// expression, which converts to a number.
template <CarriesDerivatives S, int rows, int inner, int cols>
requires(rows != 1 || cols != 1) Eigen::Matrix<S, rows, cols>
operator*(const Eigen::Matrix<S, rows, inner>& A, const Eigen::Matrix<S, inner, cols>& B) {
  assert(A.cols() == B.rows());
  Eigen::Matrix<S, rows, cols> product(A.rows(), B.cols());
  for (Eigen::Index j = 0; j < B.cols(); ++j) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      S sum = A.cols() > 0 ? A(i, 0) * B(0, j) : S(0);
      for (Eigen::Index k = 1; k < A.cols(); ++k) sum += A(i, k) * B(k, j);
      product(i, j) = sum;
    }
  }
  return product;
}

}  // namespace torsor

namespace Eigen::internal {

/// (A B)(i, j) = A(i, 0) B(0, j) + A(i, 1) B(1, j) + ..., with the interface that Eigen expects.
template <class Left, class Right>
struct SumOfCoefficients {
  using Scalar = typename Product<Left, Right>::Scalar;

  template <class To>
  static void evalTo(To& to, const Left& A, const Right& B) {
    visit(to, A, B, [](Scalar& entry, const Scalar& sum) { entry = sum; });
  }
  template <class To>
  static void addTo(To& to, const Left& A, const Right& B) {
    visit(to, A, B, [](Scalar& entry, const Scalar& sum) { entry += sum; });
  }
  template <class To>
  static void subTo(To& to, const Left& A, const Right& B) {
    visit(to, A, B, [](Scalar& entry, const Scalar& sum) { entry -= sum; });
  }
  template <class To>
  static void scaleAndAddTo(To& to, const Left& A, const Right& B, const Scalar& factor) {
    visit(to, A, B, [&factor](Scalar& entry, const Scalar& sum) { entry += factor * sum; });
  }

 private:
  template <class To, class Use>
  static void visit(To& to, const Left& left, const Right& right, const Use& use) {
    const typename nested_eval<Left, Right::ColsAtCompileTime>::type A(left);
    const typename nested_eval<Right, Left::RowsAtCompileTime>::type B(right);
    const evaluator<typename remove_all<decltype(A)>::type> a(A);
    const evaluator<typename remove_all<decltype(B)>::type> b(B);
    for (Index j = 0; j < B.cols(); ++j)
      for (Index i = 0; i < A.rows(); ++i) {
        Scalar sum = A.cols() > 0 ? Scalar(a.coeff(i, 0) * b.coeff(0, j)) : Scalar(0);
        for (Index k = 1; k < A.cols(); ++k) sum += a.coeff(i, k) * b.coeff(k, j);
        use(to.coeffRef(i, j), sum);
      }
  }
};

template <class Left, class Right>
requires torsor::CarriesDerivatives<typename Left::Scalar>
struct generic_product_impl<Left, Right, DenseShape, DenseShape, GemmProduct>
    : SumOfCoefficients<Left, Right> {
};
template <class Left, class Right>
requires torsor::CarriesDerivatives<typename Left::Scalar>
struct generic_product_impl<Left, Right, DenseShape, DenseShape, GemvProduct>
    : SumOfCoefficients<Left, Right> {
};
template <class Left, class Right>
requires torsor::CarriesDerivatives<typename Left::Scalar>
struct generic_product_impl<Left, Right, DenseShape, DenseShape, CoeffBasedProductMode>
    : SumOfCoefficients<Left, Right> {
};

}  // namespace Eigen::internal
