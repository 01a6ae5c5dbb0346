#include "torsor/coordinates/system_in_coordinates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "torsor/geometry/compatibility.hpp"

namespace torsor {

std::string_view to_string(CoordinateEquations equations) {
  constexpr std::array<std::string_view, 6> names{"coordinates",     "hamel",          "christoffel",
                                                  "canonical-minus", "canonical-zero", "canonical-plus"};
  return names[static_cast<std::size_t>(equations)];
}

namespace {

using Mat = Eigen::MatrixXd;

double weak_scale(const AffinitiesAt& at) {
  const auto greatest = [](const auto& tensor) -> double { return tensor.flat().abs().maxCoeff(); };
  return at.g.cwiseAbs().maxCoeff() * std::max(greatest(at.L), greatest(at.strong));
}

/// W(a, i, j) for one a. The last a is time, whose row is not an equation of motion.
Mat weak_row(const geometry::Tensor3<double, Eigen::Dynamic>& W, int a) {
  Mat row(W.size(), W.size());
  for (int i = 0; i < W.size(); ++i)
    for (int j = 0; j < W.size(); ++j) row(i, j) = W(a, i, j);
  return row;
}

}  // namespace

double SystemInCoordinates::weak_residual(double t, VecIn q) const {
  if (!by_connection()) return 0;
  const AffinitiesAt at = affinities_at(t, q);
  const auto W = geometry::weak_residual(at.L, at.strong, at.g);
  double most = 0;
  for (int a = 0; a + 1 < W.size(); ++a) {
    const double row = weak_row(W, a).cwiseAbs().maxCoeff();
    if (!(row <= most)) most = row;  // keeps NaN
  }
  const double scale = weak_scale(at);
  return scale > 0 ? most / scale : most;
}

WrongAffinity SystemInCoordinates::wrong_affinity(double t, VecIn q) const {
  const AffinitiesAt at = affinities_at(t, q);
  const auto W = geometry::weak_residual(at.L, at.strong, at.g);
  const int n = W.size();
  double total = 0, most = -1;
  for (int a = 0; a + 1 < n; ++a) total += weak_row(W, a).squaredNorm();
  WrongAffinity worst;
  for (int a = 0; a + 1 < n; ++a) {
    const Mat row = weak_row(W, a);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) {
        // 1 added to L(k, i, a) adds e_i g_k^T + g_k e_i^T.
        Mat slope = Mat::Zero(n, n);
        slope.row(i) += at.g.row(k), slope.col(i) += at.g.col(k);
        const double along = row.cwiseProduct(slope).sum(), change = -along / slope.squaredNorm(),
                     less = along * along / slope.squaredNorm(), value = at.L(k, i, a);
        const bool as_good = less > most * (1 - 1e-9), better = less > most * (1 + 1e-9);
        if (!better && !(as_good && std::abs(value + change) < std::abs(worst.required))) continue;
        most = less;
        worst = {k, i, a, value, value + change, total - less <= std::pow(1e-6, 2) * total};
      }
  }
  return worst;
}

void SystemInCoordinates::acceleration_and_power(double t, VecIn q, VecIn u, VecOut a, double& power) const {
  Vec lambda(rows()), a0(rows()), w = u;
  acceleration(t, q, u, a, lambda);
  if (const VelocityMap* const map = velocity_map()) map->velocity(t, q, u, w);
  row_offsets(t, q, a0);
  power = load_power(t, q, w) - a0.dot(lambda);
}

}  // namespace torsor
