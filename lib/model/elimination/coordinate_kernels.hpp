#pragma once

#include "kkt_kernels.hpp"

/// Kernels of CoordinateFactor.
namespace torsor::model_detail {

/// A row of a joint must be independent of the others with at least this part of its square, so that no more
/// than three digits are lost.
constexpr double independent_above = 1e-6;

/// Factors the R rows B of a joint as B = L Q, with a unit lower triangular L and orthogonal rows Q (modified
/// Gram-Schmidt). The rows of K are those of (B B^T)^-1 B, so that B K^T = 1. The rows of N are orthogonal to
/// each other and to Q. Each begins as the unit vector that has the least part in the rows before it. Returns
/// whether the rows B are independent.
template <int R>
[[gnu::flatten]] bool resolve_joint(const double* B, Row<6> (&K)[R], double* N) {
  Row<6> Q[R], used{};
  double size[R], L[R][R];
  each<R>([&](auto i) {
    Q[i] = Row<6>::read(B + 6 * i);
    size[i] = dot(Q[i], Q[i]);
  });
  bool independent = true;
  each<R>([&](auto k) {
    const double square = dot(Q[k], Q[k]), inverse = 1 / square;
    independent = independent && square > independent_above * size[k];
    K[k] = Q[k].times(inverse);
    used.add_terms(K[k], Q[k]);
    each<R - 1 - k>([&](auto n) {
      constexpr int i = k + 1 + n;
      L[i][k] = dot(Q[i], Q[k]) * inverse;
      Q[i].subtract(L[i][k], Q[k]);
    });
  });
  Row<6> freedom[6 - R], scaled[6 - R];
  each<6 - R>([&](auto f) {
    double left[6], unit[6] = {};
    used.write(left);
    int at = 0;
    each<5>([&](auto j) { at = left[j + 1] < left[at] ? j + 1 : at; });
    unit[at] = 1;
    Row<6>& row = freedom[f];
    row = Row<6>::read(unit);
    each<R>([&](auto k) { row.subtract(K[k][at], Q[k]); });
    each<f>([&](auto m) { row.subtract(scaled[m][at], freedom[m]); });
    scaled[f] = row.times(1 / dot(row, row));
    used.add_terms(scaled[f], row);
    row.write(N + 6 * f);
  });
  each<R>([&](auto n) {
    constexpr int i = R - 1 - n;
    each<i>([&](auto j) { K[j].subtract(L[i][j], K[i]); });
  });
  return independent;
}

/// K^T t, where t is given by t(row).
template <int R, class Of>
Row<6> combine(const Row<6> (&K)[R], Of t) {
  Row<6> out{};
  each<R>([&](auto i) { out.template add<6>(t(i), K[i]); });
  return out;
}

/// The metric G of a body: its linear part is diagonal and not coupled to the angular part.
struct BodyMetric {
  static BodyMetric read(const double* G) {
    return {{G[0], G[7], G[14]}, G[21], G[27], G[28], G[33], G[34], G[35]};
  }

  /// G x
  Row<6> times(const Row<6>& x) const {
    const auto angular = [&](double a, double b, double c) { return a * x[3] + b * x[4] + c * x[5]; };
    return {{Lane{linear[0] * x[0], linear[1] * x[1]}, Lane{linear[2] * x[2], angular(xx, yx, zx)},
             Lane{angular(yx, yy, zy), angular(zx, zy, zz)}}};
  }
  /// Whether G is positive definite: its leading minors are positive.
  bool is_positive() const {
    return linear[0] > 0 && linear[1] > 0 && linear[2] > 0 && xx > 0 && xx * yy > yx * yx &&
           xx * (yy * zz - zy * zy) > yx * (yx * zz - zy * zx) - zx * (yx * zy - yy * zx);
  }

  double linear[3], xx, yx, yy, zx, zy, zz;
};

/// G^-1 of a body.
struct InverseMetric {
  explicit InverseMetric(const BodyMetric& G) : linear{1 / G.linear[0], 1 / G.linear[1], 1 / G.linear[2]} {
    const double xx = G.xx, yx = G.yx, yy = G.yy, zx = G.zx, zy = G.zy, zz = G.zz;
    const double a = yy * zz - zy * zy, b = zx * zy - yx * zz, c = yx * zy - yy * zx;
    const double inverse = 1 / (xx * a + yx * b + zx * c);
    diagonal[0] = a * inverse, diagonal[1] = (xx * zz - zx * zx) * inverse;
    diagonal[2] = (xx * yy - yx * yx) * inverse;
    beside[0] = 2 * b * inverse, beside[1] = 2 * c * inverse, beside[2] = 2 * (zx * yx - xx * zy) * inverse;
  }
  /// a G^-1 a^T
  double square(const double* a) const {
    return a[0] * a[0] * linear[0] + a[1] * a[1] * linear[1] + a[2] * a[2] * linear[2] +
           a[3] * (a[3] * diagonal[0] + a[4] * beside[0] + a[5] * beside[1]) +
           a[4] * (a[4] * diagonal[1] + a[5] * beside[2]) + a[5] * a[5] * diagonal[2];
  }
  double linear[3], diagonal[3], beside[3];
};

}  // namespace torsor::model_detail
