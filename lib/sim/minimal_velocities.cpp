#include <Eigen/QR>
#include <algorithm>

#include "constraint_matrix.hpp"
#include "mechanism_scratch.hpp"

namespace torsor {
namespace {

/// A pivot of A_d below this part of the greatest calls for another choice; one below the second, at the time
/// of a choice, is a redundant row's.
constexpr double poor = 0.05, none = 1e-9;

Eigen::MatrixXd columns(const Eigen::MatrixXd& A, const std::vector<int>& which) {
  Eigen::MatrixXd out(A.rows(), static_cast<Eigen::Index>(which.size()));
  for (std::size_t k = 0; k < which.size(); ++k) out.col(static_cast<Eigen::Index>(k)) = A.col(which[k]);
  return out;
}

std::vector<int> choose_dependent(const Eigen::MatrixXd& A) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  qr.setThreshold(none);
  std::vector<int> chosen;
  for (Eigen::Index k = 0; k < qr.rank(); ++k) chosen.push_back(qr.colsPermutation().indices()[k]);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
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
  leave_out_spare_rows(t, q);
  if (scratch_->treatment != Treatment::minimal) return;
  std::vector<int>& dependent = scratch_->dependent;
  const Eigen::MatrixXd A = sim::constraint_matrix(*this, t, q);
  const auto pivots =
      Eigen::HouseholderQR<Eigen::MatrixXd>(columns(A, dependent)).matrixQR().diagonal().cwiseAbs().eval();
  if (dependent.empty() || pivots.minCoeff() < poor * pivots.maxCoeff()) dependent = choose_dependent(A);
}

void MechanismSystem::velocity(double t, VecIn q, VecIn v, VecOut out) const {
  Scratch& s = *scratch_;
  if (s.treatment != Treatment::minimal) return nearest_velocity(t, q, v, out);
  const Eigen::MatrixXd A = sim::constraint_matrix(*this, t, q);
  Vec missed(rows());
  velocity_residual(t, q, v, missed);
  out = v;
  if (s.dependent.empty()) s.dependent = choose_dependent(A);
  if (s.dependent.empty()) return;
  const Vec change = Eigen::HouseholderQR<Eigen::MatrixXd>(columns(A, s.dependent)).solve(-missed);
  for (std::size_t k = 0; k < s.dependent.size(); ++k)
    out[s.dependent[k]] += change[static_cast<Eigen::Index>(k)];
}

}  // namespace torsor
