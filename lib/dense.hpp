#pragma once

#include <Eigen/Dense>
#include <vector>

/// Products and decompositions of matrices whose size is known only at run time. The compiler needs seconds
/// for each of them, so dense.cpp compiles them once for all sources.
namespace torsor::linear {

using Mat = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;

Mat product(const Mat& A, const Mat& B);

/// The columns of A with these indices.
Mat columns(const Mat& A, const std::vector<int>& which);

/// The least-squares solution of A x = b with the smallest norm. Pivots below `threshold`, relative to the
/// greatest pivot, count as zero: an unknown whose column is only rounding stays zero.
Vec least_squares(const Mat& A, const Vec& b, double threshold = 1e-10);

/// The least-squares solution of A x = b with the smallest norm, and orthonormal columns that span the kernel
/// of A. Pivots below `threshold`, relative to the greatest pivot, count as zero.
struct SolutionAndKernel {
  Vec x;
  Mat kernel;
};
SolutionAndKernel least_squares_and_kernel(const Mat& A, const Vec& b, double threshold);

/// Orthonormal columns that span the orthogonal complement of the columns of A; threshold as above.
Mat orthogonal_complement(const Mat& A, double threshold);

/// Lower L of G = L L^T for a positive definite G, L^-1 B, and G^-1.
Mat cholesky(const Mat& G);
Mat divide_by_lower(const Mat& L, const Mat& B);
Mat inverse_of_definite(const Mat& G);

/// The solution x of A x = b, by LU with full pivoting.
Vec solve_by_lu(const Mat& A, const Vec& b);
/// The rank of A in any units of rows and columns: both are scaled to entries near 1. Pivots that are only
/// rounding count as zero.
Eigen::Index rank(const Mat& A);

/// The greatest absolute eigenvalue of a symmetric A.
double spectral_radius(const Mat& A);

/// Over indices: a power of 2 near 1 / sqrt(g_ii), or 1 where g_ii is not positive and finite. These factors
/// scale the vectors of a basis with the metric g to lengths between 0.7 and 1.5, without rounding.
Vec unit_scales(const Mat& g);

}  // namespace torsor::linear

namespace Eigen {

extern template void HouseholderQR<MatrixXd>::computeInPlace();
extern template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
extern template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned);
extern template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template void HouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
extern template void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;

}  // namespace Eigen
