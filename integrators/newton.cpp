#include "torsor/integrators/detail/newton.hpp"

#include <Eigen/LU>
#include <cmath>
#include <cstdio>

namespace torsor {

struct Newton::Factors {
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  Vec solution;
};

Newton::Newton() : factors_(std::make_unique<Factors>()) {}
Newton::~Newton() = default;

void Newton::factorise() { factors_->lu.compute(jacobian_); }

void Newton::divide_by_jacobian(Vec& r) {
  factors_->solution = factors_->lu.solve(r);
  r.swap(factors_->solution);
}

double Newton::norm_without_quadratures(const Vec& v) const {
  return std::max(v.head(begin_).lpNorm<Eigen::Infinity>(),
                  v.tail(v.size() - begin_ - count_).lpNorm<Eigen::Infinity>());
}

double Newton::change_before_multipliers(const Vec& z) const {
  double most = 0;
  for (Eigen::Index j = 0; j < std::min(multipliers_, z.size()); ++j)
    if (!is_quadrature(j)) most = std::max(most, std::abs(step_[j]) / (unit_ + std::abs(z[j])));
  return most;
}

double Newton::relative_change(const Vec& z) const {
  if (count_ == 0 && z.size() <= multipliers_)
    return (step_.array().abs() / (unit_ + z.array().abs())).maxCoeff();
  double most = change_before_multipliers(z);
  for (Eigen::Index j = multipliers_; j < z.size(); ++j)
    most = std::max(most, std::abs(step_[j]) / (unit_of_multipliers_ + std::abs(z[j])));
  return most;
}

double Newton::size_of(const Vec& z, Eigen::Index j) const {
  if (j < multipliers_) return of_differences_ + std::abs(z[j]);
  const Eigen::Index count = z.size() - multipliers_;
  const double size = (z.tail(count).array().abs() + r_.tail(count).array().abs()).maxCoeff();
  return size > 0 ? size : unit_;
}

std::string Newton::failure() const {
  if (std::isnan(size_)) return "the residual of Newton's iteration is not finite";
  char text[80];
  std::snprintf(text, sizeof text, "residual %.0e after %d Newton iterations", size_, iterations_);
  return text;
}

}  // namespace torsor
