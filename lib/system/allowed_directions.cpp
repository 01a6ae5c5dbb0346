#include "allowed_directions.hpp"

#include <cmath>

namespace torsor::mechanics {
namespace {

/// Four velocities in columns whose components have about the same kinetic energy, so that heavy bodies do
/// not hide light ones.
Eigen::MatrixXd sampled_velocities(const MechanismSystem& system, double t, const Vec& q) {
  constexpr int few = 4;
  Eigen::MatrixXd all(system.nv(), few);
  Vec inertia = Vec::Zero(all.rows()), p(all.rows());
  for (Eigen::Index i = 0; i < few; ++i) {
    // The angle of 12.9898 rad is not a rational part of a turn, so no two components are equal.
    for (Eigen::Index j = 0; j < all.rows(); ++j)
      all(j, i) = sin_cos(12.9898 * static_cast<double>((i + 1) * (j + 1))).sin;
    const Vec signs = (all.col(i).array() < 0).select(Vec::Constant(all.rows(), -1), Vec::Ones(all.rows()));
    system.metric_times(t, q, signs, p);
    inertia = inertia.cwiseMax(p.cwiseAbs());
  }
  for (Eigen::Index j = 0; j < all.rows(); ++j)
    if (inertia[j] > 0) all.row(j) /= std::sqrt(inertia[j]);
  return all;
}

}  // namespace

Vec allowed_part(const ConstrainedSystem& system, double t, const Vec& q, const Vec& w) {
  Vec x(system.nv()), p(system.nv()), y(system.rows());
  system.metric_times(t, q, w, p);
  system.solve(t, q, p, Vec::Zero(system.rows()), x, y);
  return x;
}

double metric_product(const MechanismSystem& system, double t, const Vec& q, const Vec& u, const Vec& w) {
  Vec p(system.nv());
  system.metric_times(t, q, u, p);
  return p.dot(w);
}

Eigen::MatrixXd allowed_directions(const MechanismSystem& system, double t, const Vec& q, bool sampled) {
  constexpr double dependent = 1e-8;
  const auto n = static_cast<Eigen::Index>(system.nv());
  const Eigen::MatrixXd given =
      sampled ? sampled_velocities(system, t, q) : Eigen::MatrixXd(Eigen::MatrixXd::Identity(n, n));
  Eigen::MatrixXd basis(n, n), momenta(n, n);
  Eigen::Index count = 0;
  Vec p(n);
  for (Eigen::Index i = 0; i < given.cols(); ++i) {
    Vec w = given.col(i);
    const double before = std::sqrt(metric_product(system, t, q, w, w));
    w = allowed_part(system, t, q, w);
    for (int pass = 0; pass < 2; ++pass)
      for (Eigen::Index j = 0; j < count; ++j) w -= momenta.col(j).dot(w) * basis.col(j);
    const double norm = std::sqrt(metric_product(system, t, q, w, w));
    if (!(norm > dependent * before)) continue;
    basis.col(count) = w / norm;
    system.metric_times(t, q, basis.col(count), p);
    momenta.col(count++) = p;
  }
  return basis.leftCols(count);
}

}  // namespace torsor::mechanics
