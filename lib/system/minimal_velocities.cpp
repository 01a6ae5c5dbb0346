#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "constraint_matrix.hpp"
#include "mechanism_scratch.hpp"
#include "torsor/lie/real_functions.hpp"

namespace torsor {
namespace {

/// A row is redundant if its pivot is below this fraction of the greatest pivot.
constexpr double none = 1e-9;

/// A choice of dependent velocities is kept while the volume of its columns A_d is at least this fraction
/// of the volume of the best choice. By Cramer's rule, the entries of A_d^-1 A_i are then at most about
/// 1/large_enough.
constexpr double large_enough = 0.5;

Eigen::MatrixXd columns(const Eigen::MatrixXd& A, const std::vector<int>& which) {
  Eigen::MatrixXd out(A.rows(), static_cast<Eigen::Index>(which.size()));
  for (std::size_t k = 0; k < which.size(); ++k) out.col(static_cast<Eigen::Index>(k)) = A.col(which[k]);
  return out;
}

/// Columns of A whose velocities can be the dependent ones, and the logarithm of their volume; by pivoting
/// over all columns.
struct Choice {
  std::vector<int> columns;
  double log_volume = 0;
};

template <class Triangle>
double log_volume(const Triangle& R, Eigen::Index columns) {
  return R.diagonal().head(columns).cwiseAbs().array().log().sum();
}

Choice best_choice(const Eigen::MatrixXd& A) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  qr.setThreshold(none);
  Choice best;
  for (Eigen::Index k = 0; k < qr.rank(); ++k) best.columns.push_back(qr.colsPermutation().indices()[k]);
  std::sort(best.columns.begin(), best.columns.end());
  best.log_volume = log_volume(qr.matrixQR(), qr.rank());
  return best;
}

/// Whether a choice of columns is nearly as good as the best.
bool stands(const std::vector<int>& chosen, const Choice& best, const Eigen::MatrixXd& A) {
  if (chosen.size() != best.columns.size()) return false;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns(A, chosen));
  return log_volume(qr.matrixQR(), qr.cols()) >= best.log_volume + real::log(large_enough);
}

}  // namespace

bool MechanismSystem::maps_velocity() const {
  const Scratch& s = *scratch_;
  const bool projects = s.treatment == Treatment::index_1 || s.treatment == Treatment::viscous;
  return s.treatment == Treatment::minimal || (projects && !s.kkt.has_loops());
}

void MechanismSystem::begin_step(double t, VecIn q) const {
  scratch_->at_beginning = true;
  scratch_->q_factored.resize(0);
  scratch_->v_given.resize(0);
  scratch_->worst_conditioning = 1;
  leave_out_redundant_rows(t, q);
  if (scratch_->treatment != Treatment::minimal) return;
  const Eigen::MatrixXd A = sim::constraint_matrix(*this, t, q);
  Choice best = best_choice(A);
  if (!stands(scratch_->dependent, best, A)) scratch_->dependent = std::move(best.columns);
}

void MechanismSystem::velocity(double t, VecIn q, VecIn v, VecOut out) const {
  Scratch& s = *scratch_;
  if (s.treatment != Treatment::minimal) return nearest_velocity(t, q, v, out);
  const Eigen::MatrixXd A = sim::constraint_matrix(*this, t, q);
  Vec missed(rows());
  velocity_residual(t, q, v, missed);
  out = v;
  if (s.dependent.empty()) s.dependent = best_choice(A).columns;
  if (s.dependent.empty()) return;
  const Vec change = Eigen::HouseholderQR<Eigen::MatrixXd>(columns(A, s.dependent)).solve(Vec(-missed));
  for (std::size_t k = 0; k < s.dependent.size(); ++k)
    out[s.dependent[k]] += change[static_cast<Eigen::Index>(k)];
}

}  // namespace torsor
