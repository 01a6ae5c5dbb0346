#include "dense.hpp"

namespace Eigen {

template class HouseholderQR<MatrixXd>;
template class ColPivHouseholderQR<MatrixXd>;
template class CompleteOrthogonalDecomposition<MatrixXd>;
template class PartialPivLU<MatrixXd>;
template class FullPivLU<MatrixXd>;
template class LLT<MatrixXd>;
template class JacobiSVD<MatrixXd>;
template class SelfAdjointEigenSolver<MatrixXd>;
template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);
template void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
template void HouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
template void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;

}  // namespace Eigen
