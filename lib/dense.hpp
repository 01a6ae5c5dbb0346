#pragma once

#include <Eigen/Dense>

/// Decompositions of matrices whose size is known at run time: dense.cpp compiles them once for all sources
/// that include this header before they use one. It changes what is compiled where, and nothing else.
namespace Eigen {

extern template class HouseholderQR<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class CompleteOrthogonalDecomposition<MatrixXd>;
extern template class PartialPivLU<MatrixXd>;
extern template class FullPivLU<MatrixXd>;
extern template class LLT<MatrixXd>;
extern template class JacobiSVD<MatrixXd>;
extern template class SelfAdjointEigenSolver<MatrixXd>;
extern template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
extern template void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
extern template void HouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
extern template void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;

}  // namespace Eigen
