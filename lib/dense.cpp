#include "dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor::linear {
namespace {

/// Powers of 2 that scale the greatest entry of each row to a number from 1 to 2; 1 for a row of zeros.
Vec row_scales(const Mat& A) {
  return A.cwiseAbs().rowwise().maxCoeff().unaryExpr([](double greatest) {
    if (!(greatest > 0) || !std::isfinite(greatest)) return 1.;
    return std::ldexp(1., -std::max(std::ilogb(greatest), std::numeric_limits<double>::min_exponent - 1));
  });
}

}  // namespace

Mat product(const Mat& A, const Mat& B) { return A * B; }

Mat columns(const Mat& A, const std::vector<int>& which) { return A(Eigen::all, which); }

Vec least_squares(const Mat& A, const Vec& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Mat> cod;
  cod.setThreshold(threshold);
  return cod.compute(A).solve(b);
}

SolutionAndKernel least_squares_and_kernel(const Mat& A, const Vec& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Mat> cod;
  cod.setThreshold(threshold);
  cod.compute(A);
  const Mat Z = cod.colsPermutation() * Mat(cod.matrixZ().transpose());
  return {cod.solve(b), Z.rightCols(A.cols() - cod.rank())};
}

Mat orthogonal_complement(const Mat& A, double threshold) {
  Eigen::ColPivHouseholderQR<Mat> qr(A);
  qr.setThreshold(threshold);
  const Mat Q = qr.householderQ() * Mat::Identity(A.rows(), A.rows());
  return Q.rightCols(A.rows() - qr.rank());
}

Mat cholesky(const Mat& G) { return G.llt().matrixL(); }

Mat divide_by_lower(const Mat& L, const Mat& B) { return L.triangularView<Eigen::Lower>().solve(B); }

Mat inverse_of_definite(const Mat& G) { return G.llt().solve(Mat::Identity(G.rows(), G.rows())); }

double spectral_radius(const Mat& A) {
  const Eigen::SelfAdjointEigenSolver<Mat> solver(A, Eigen::EigenvaluesOnly);
  return solver.eigenvalues().cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

Vec solve_by_lu(const Mat& A, const Vec& b) {
  Eigen::FullPivLU<Mat> lu(A);
  lu.setThreshold(0);  // unknowns in different units give pivots of different sizes
  return lu.solve(b);
}

Eigen::Index rank(const Mat& A) {
  const Mat rows = row_scales(A).asDiagonal() * A;
  return Mat(rows * row_scales(rows.transpose()).asDiagonal()).fullPivLu().rank();
}

Vec unit_scales(const Mat& g) {
  return g.diagonal().unaryExpr([](double square) {
    if (!(square > 0) || !std::isfinite(square)) return 1.;
    return std::ldexp(1., static_cast<int>(std::lround(-std::log2(square) / 2)));
  });
}

}  // namespace torsor::linear

namespace Eigen {

template void HouseholderQR<MatrixXd>::computeInPlace();
template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned);
template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
template void HouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
template void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;

}  // namespace Eigen
