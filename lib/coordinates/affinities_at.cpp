#include "torsor/coordinates/detail/affinities_at.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "dense.hpp"
#include "greatest.hpp"
#include "torsor/geometry/compatibility.hpp"

namespace torsor {
namespace {

using Mat = Eigen::MatrixXd;
using Tensor = geometry::Tensor3<double, Eigen::Dynamic>;

/// W(a, i, j) for one a.
Mat weak_row(const Tensor& W, int a) {
  Mat row(W.size(), W.size());
  for (int i = 0; i < W.size(); ++i)
    for (int j = 0; j < W.size(); ++j) row(i, j) = W(a, i, j);
  return row;
}

/// The weak residual relative to the greatest affinity or, if not `of_all`, relative to the greatest affinity of
/// the Christoffel connection: the part of a connection that does not change the motion may be of any size.
double weak_residual_of(const AffinitiesAt& given, bool of_all) {
  const AffinitiesAt at = given.of_unit_vectors();
  const Tensor W = geometry::weak_residual(at.L, at.strong, at.g);
  double most = 0;
  for (int a = 0; a + 1 < W.size(); ++a) most = max_or_nan(most, linear::greatest(weak_row(W, a)));
  const double size = linear::greatest(at.g), of_strong = size * linear::greatest(at.strong.flat()),
               other = of_all ? size * linear::greatest(at.L.flat()) : most;
  const double scale = max_or_nan(other, of_strong);
  if (!std::isfinite(scale)) return std::numeric_limits<double>::quiet_NaN();
  return scale > 0 ? most / scale : most;
}

std::string digits(double number, int count) {
  char buffer[32];
  return {buffer,
          std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::general, count).ptr};
}

}  // namespace

Vec rates_of_terms(const Vec& e, const Mat& basis) {
  return basis.cwiseAbs().transpose() * e.cwiseAbs().cwiseMax(1).cwiseInverse();
}

Tensor affinity_terms(const Mat& g, const Vec& rates) {
  const int n = static_cast<int>(g.rows());
  const Vec length = g.diagonal().cwiseAbs().cwiseSqrt();
  Tensor terms(n);
  for (int b = 0; b < n; ++b)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        terms(b, i, j) = (rates[i] * length[j] * length[b] + rates[j] * length[i] * length[b] +
                          rates[b] * length[i] * length[j]) /
                         2;
  return terms;
}

AffinitiesAt AffinitiesAt::of_unit_vectors() const {
  const Vec unit = linear::unit_scales(g);
  return {geometry::in_scaled_basis(L, unit), geometry::in_scaled_basis(strong, unit),
          unit.asDiagonal() * g * unit.asDiagonal(), names,
          rates.size() > 0 ? Vec(rates.cwiseProduct(unit)) : Vec()};
}

AffinitiesAt AffinitiesAt::without_rounding() const {
  AffinitiesAt at = *this;
  if (rates.size() == 0) return at;
  const Tensor D = L - strong, terms = affinity_terms(g, rates);
  for (int i = 0; i < D.size(); ++i)
    for (int j = 0; j < D.size(); ++j) {
      const Vec lowered = g * D.along(i).col(j), least = rounding_of_terms * terms.along(i).col(j);
      const auto is_rounding = lowered.array().abs() <= least.array();
      if (is_rounding.all())
        at.L.along(i).col(j) = strong.along(i).col(j);
      else if (is_rounding.any())
        at.L.along(i).col(j) -= linear::solve_by_lu(g, is_rounding.select(lowered, 0));
    }
  return at;
}

double AffinitiesAt::weak_residual() const {
  const double residual = weak_residual_of(*this, true);
  if (residual <= rounding_of_terms) return residual;
  const AffinitiesAt at = without_rounding();
  const double again = weak_residual_of(at, true);
  return again > rounding_of_terms && again <= rounding ? weak_residual_of(at, false) : again;
}

double AffinitiesAt::strong_residual() const {
  const auto residual_of = [](const AffinitiesAt& at) {
    return geometry::compatibility(at.L, at.strong, at.g).strong;
  };
  const double residual = residual_of(*this);
  return residual > rounding_of_terms ? residual_of(without_rounding()) : residual;
}

WrongAffinity AffinitiesAt::wrong_affinity() const {
  const AffinitiesAt at = without_rounding().of_unit_vectors();
  const Vec unit = linear::unit_scales(g);
  const Tensor W = geometry::weak_residual(at.L, at.strong, at.g);
  const int n = W.size();
  double total = 0, most = -1, in_unit_vectors = 0;
  for (int a = 0; a + 1 < n; ++a) total += weak_row(W, a).squaredNorm();
  WrongAffinity worst;
  for (int a = 0; a + 1 < n; ++a) {
    const Mat row = weak_row(W, a);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) {
        // 1 added to L(k, i, a) adds e_i g_k^T + g_k e_i^T to the row.
        Mat slope = Mat::Zero(n, n);
        slope.row(i) += at.g.row(k), slope.col(i) += at.g.col(k);
        const double along = row.cwiseProduct(slope).sum(), change = -along / slope.squaredNorm(),
                     less = along * along / slope.squaredNorm(),
                     required = (at.L(k, i, a) + change) * unit[k] / (unit[i] * unit[a]);
        // Among components that reduce the residual equally, prefers the smallest required value.
        const bool alike = less > most * (1 - 1e-9), better = less > most * (1 + 1e-9);
        if (!better && !(alike && std::abs(required) < std::abs(worst.required))) continue;
        most = less, in_unit_vectors = at.L(k, i, a) + change;
        worst = {k, i, a, L(k, i, a), required, total - less <= 1e-12 * total};
      }
  }
  double size = 0;  // greatest affinity of this row
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      size = std::max({size, std::abs(at.L(k, i, worst.j)), std::abs(at.strong(k, i, worst.j))});
  if (std::abs(in_unit_vectors) < 1e-12 * size) worst.required = 0;
  return worst;
}

std::string AffinitiesAt::fault(const std::string& place) const {
  const double residual = weak_residual();
  if (!std::isfinite(residual))
    return "the weak condition cannot be evaluated at " + place +
           ": an affinity, the metric or a derivative of the metric is not finite there";
  const auto name = [this](int i) {
    return names.empty() ? std::to_string(i + 1) : names[static_cast<std::size_t>(i)];
  };
  const WrongAffinity wrong = wrong_affinity();
  return "the residual of the weak condition is " + digits(residual, 2) + " times max|g| max|L| at " + place +
         "; the affinity \"" + name(wrong.i) + ", " + name(wrong.j) + " -> " + name(wrong.k) + "\" is " +
         digits(wrong.value, 6) + " there and would have to be " + digits(wrong.required, 6) +
         (wrong.alone ? "" : "; other affinities are wrong too");
}

}  // namespace torsor
