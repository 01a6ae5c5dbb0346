// A group of your own: the records of a planimeter. A pen that moves along a curve (x, y) in the plane
// records
//
//   area' = x y',   moment' = x^2/2 y'.
//
// After a closed curve these are the enclosed area and its first moment (Green's formula). The records form
// the Engel group, a semi-direct product: a displacement h of the pen along x acts linearly on (y, area,
// moment). This program defines the action, tests it, prints the geometry of the group, and measures an
// ellipse.
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "torsor/geometry/canonical.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/lie/semidirect_product.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

/// The action rho(h) = exp(h N) with N (y, area, moment) = (0, y, area). N^3 = 0, so every function is a
/// polynomial. torsor/lie/semidirect_product.hpp defines each function.
struct Shift {
  template <class S>
  using X = Vector<S, 3>;
  template <class S>
  using W = Vector<S, 1>;

  template <class S>
  static X<S> act(const Rn<1, S>& h, const X<S>& x) {
    return polynomial(h.p, S(1), S(1) / S(2), x);
  }
  template <class S>
  static X<S> act_transpose(const Rn<1, S>& h, const X<S>& f) {
    return {f[0] + h.p[0] * f[1] + h.p[0] * h.p[0] / S(2) * f[2], f[1] + h.p[0] * f[2], f[2]};
  }
  template <class S>
  static X<S> rate(const W<S>& w, const X<S>& x) {
    return {S(0), w[0] * x[0], w[0] * x[1]};
  }
  template <class S>
  static X<S> rate_transpose(const W<S>& w, const X<S>& f) {
    return {w[0] * f[1], w[0] * f[2], S(0)};
  }
  template <class S>
  static W<S> moment(const X<S>& x, const X<S>& f) {
    return W<S>(f[1] * x[0] + f[2] * x[1]);
  }
  template <class S>
  static X<S> integral(const W<S>& w, const X<S>& x) {
    return polynomial(w, S(1) / S(2), S(1) / S(6), x);
  }
  template <class S>
  static X<S> integral_inverse(const W<S>& w, const X<S>& x) {
    return polynomial(w, S(-1) / S(2), S(1) / S(12), x);
  }

 private:
  /// (I + a w N + b w^2 N^2) x.
  template <class S>
  static X<S> polynomial(const W<S>& w, const S& a, const S& b, const X<S>& x) {
    return {x[0], x[1] + a * w[0] * x[0], x[2] + a * w[0] * x[1] + b * w[0] * w[0] * x[0]};
  }
};

using Engel = SemidirectProduct<Rn<3>, Rn<1>, Shift>;
using Tensor = Tensor3<double, Engel::dof>;

constexpr std::array names{"y", "area", "moment", "x"};  // of the basis e_i of the algebra

/// Tests the functions of the action against each other.
bool action_is_right() {
  const Engel::Tangent xi(0.3, -0.7, 1.1, 0.9), f(1.2, 0.4, -0.8, 0.5);
  const Engel g = Engel::exp(xi);
  const double inverse = (g.log() - xi).norm() + (Engel::dexp_inv(xi, Engel::dexp(xi, f)) - f).norm();
  const double transposes = (g.Ad_transpose(f) - g.Ad().transpose() * f).norm() +
                            (Engel::ad_transpose(xi, f) - Engel::ad(xi).transpose() * f).norm();
  return inverse < 1e-14 && transposes < 1e-14;
}

void print_brackets() {
  const auto c = structure_coefficients<Engel>();
  std::printf("brackets:");
  for (int i = 0; i < Engel::dof; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int k = 0; k < Engel::dof; ++k) {
        if (c[k][i][j] != 0) std::printf(" [%s, %s] = %g %s", names[i], names[j], c[k][i][j], names[k]);
      }
    }
  }
  std::printf("\n");
}

/// Prints the nonzero components of R(e_k, e_l) e_j and returns their number.
int print_curvature(const Tensor4<double, Engel::dof>& R) {
  int count = 0;
  for (int k = 0; k < Engel::dof; ++k) {
    for (int l = 0; l < k; ++l) {
      for (int j = 0; j < Engel::dof; ++j) {
        for (int i = 0; i < Engel::dof; ++i) {
          if (R(i, j, k, l) == 0) continue;
          std::printf(" R(%s, %s) %s = %g %s", names[k], names[l], names[j], R(i, j, k, l), names[i]);
          ++count;
        }
      }
    }
  }
  std::printf("%s\n", count == 0 ? " 0" : "");
  return count;
}

/// Prints torsion and curvature of a canonical connection. Returns whether the torsion is `factor` times the
/// structure coefficients c, and whether the curvature is 0 or, for the (0) connection, R(x, y) x = 1/4
/// moment.
bool geometry_is_right(const char* name, Canonical member, double factor) {
  const auto connection = canonical_connection<Engel>(member);
  const Engel g = Engel::identity();  // the tensors are left-invariant
  const Tensor c = connection.frame.structure_coefficients(g), rest = torsion(connection, g) - factor * c;
  const auto R = curvature(connection, g);
  std::printf("(%s) connection: torsion %g c, curvature", name, factor);
  const bool curved = member == Canonical::zero;
  return print_curvature(R) == (curved ? 1 : 0) && R(2, 3, 3, 0) == (curved ? 0.25 : 0) &&
         rest.flat().matrix().norm() == 0;
}

/// The pen moves along the ellipse x = 3 + 2 cos t, y = sin t, of area 2 pi.
bool ellipse_is_right() {
  const auto pen = group_field<Engel>([](double t, const Engel&) {
    return Engel::Tangent(std::cos(t), 0, 0, -2 * std::sin(t));  // (y', 0, 0; x')
  });
  Engel record({0, 0, 0}, Rn<1>::Point(5));
  integrate<RkmkDopri5>(pen, record, 0, 2 * std::numbers::pi, {.tolerance = 1e-12});
  const double area = record.p[1], centroid = record.p[2] / area;
  const double area_error = std::abs(area - 2 * std::numbers::pi), centroid_error = std::abs(centroid - 3);
  std::printf("ellipse: area %.6f (error %.0e), centroid at x = %.6f (error %.0e)\n", area, area_error,
              centroid, centroid_error);
  return area_error < 1e-9 && centroid_error < 1e-9;
}

}  // namespace

int main() {
  print_brackets();
  bool right = action_is_right();
  right &= geometry_is_right("-", Canonical::minus, -1);
  right &= geometry_is_right("0", Canonical::zero, 0);
  right &= geometry_is_right("+", Canonical::plus, 1);
  right &= ellipse_is_right();
  return right ? 0 : 1;
}
