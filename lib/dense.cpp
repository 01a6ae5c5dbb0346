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

}  // namespace Eigen
