#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "torsor/lie/detail/log_series.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se2.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/semidirect_product.hpp"

namespace torsor {

using DirectProduct = Product<Rn<3>, SO3<>>;

inline std::mt19937_64& generator() {
  static std::mt19937_64 engine(20240617);
  return engine;
}
inline double uniform() { return std::uniform_real_distribution<double>(-1, 1)(generator()); }

/// Random tangent vectors. The rotation part has length 1 (rad); every other component lies between -1 and 1.
template <class G>
struct Direction;
template <>
struct Direction<SO2<>> {
  static SO2<>::Tangent random() { return SO2<>::Tangent(uniform() < 0 ? -1. : 1.); }
};
template <>
struct Direction<SO3<>> {
  static Vec3 random() {
    for (;;) {
      const Vec3 w(uniform(), uniform(), uniform());
      if (w.norm() > 0.1 && w.norm() < 1) return w / w.norm();
    }
  }
};
template <int n>
struct Direction<Rn<n>> {
  static Vector<double, n> random() {
    Vector<double, n> v;
    for (double& x : v) x = uniform();
    return v;
  }
};
template <>
struct Direction<SE2<>> {
  static Vec3 random() { return {uniform(), uniform(), Direction<SO2<>>::random()[0]}; }
};
template <>
struct Direction<SE3<>> {
  static Vector<double, 6> random() {
    Vector<double, 6> xi;
    xi << Direction<Rn<3>>::random(), Direction<SO3<>>::random();
    return xi;
  }
};
template <class... G>
struct Direction<Product<G...>> {
  static typename Product<G...>::Tangent random() {
    typename Product<G...>::Tangent xi;
    int begin = 0;
    ((xi.template segment<G::dof>(begin) = Direction<G>::random(), begin += G::dof), ...);
    return xi;
  }
};

template <class N, class G, class Action>
struct Direction<SemidirectProduct<N, G, Action>> {
  static typename SemidirectProduct<N, G, Action>::Tangent random() {
    typename SemidirectProduct<N, G, Action>::Tangent xi;
    xi << Direction<N>::random(), Direction<G>::random();
    return xi;
  }
};

/// Angles at which the maps of the groups change their formula, in radians.
inline std::vector<double> formula_switches() {
  return {std::sqrt(series::least_limit), std::sqrt(series::short_limit<double>),
          std::sqrt(series::near_limit), 2 * std::acos(1 - series::short_log_limit)};
}

/// Angles at which functions lose digits or meet a branch cut, and both sides of each switch of formula, in
/// radians.
inline std::vector<double> hard_angles() {
  const double pi = std::numbers::pi, inf = 100;
  std::vector<double> angles{0, 1e-300, 1e-160, 1e-12, 1e-6, 1e-2, 1, 2, 3, pi, 4, 6, 2 * pi, 30};
  for (double at : {pi, 2 * pi})
    for (double side : {0., inf}) angles.push_back(std::nextafter(at, side));
  // The distance exceeds the rounding errors of the quantities that the formulas compare with their limits.
  for (double at : formula_switches())
    for (double side : {-1., 1.}) angles.push_back(at * (1 + 1e-13 * side));
  return angles;
}

template <class G>
struct Sample {
  double angle;
  typename G::Tangent xi;
};

/// For each hard angle, two random tangent vectors of unit rotation, multiplied by the angle.
template <class G>
std::vector<Sample<G>> hard_samples() {
  std::vector<Sample<G>> samples;
  for (double angle : hard_angles()) {
    for (int repeat = 0; repeat < 2; ++repeat) samples.push_back({angle, angle * Direction<G>::random()});
  }
  return samples;
}

/// Matrices of run-time size, so that the tests compile once and not once for each size.
using Dense = Eigen::MatrixXd;

template <class M>
Dense dense(const Eigen::MatrixBase<M>& fixed) {
  Dense copy(fixed.rows(), fixed.cols());
  for (int j = 0; j < copy.cols(); ++j) {
    for (int i = 0; i < copy.rows(); ++i) copy(i, j) = static_cast<double>(fixed(i, j));
  }
  return copy;
}
template <LieGroup G>
Dense dense(const G& g) {
  return dense(g.matrix());
}

/// The greatest absolute value of an entry; NaN if any entry is not finite.
double greatest(const Dense& a);
/// The greatest absolute difference between corresponding entries; NaN if any entry is not finite.
double distance(const Dense& a, const Dense& b);
template <class A, class B>
double distance(const A& a, const B& b) {
  return distance(dense(a), dense(b));
}
inline Dense identity(int n) { return Dense::Identity(n, n); }

/// The matrix exponential by Taylor's series of M / 2^k in long double, squared k times.
Dense matrix_exp(const Dense& M);

}  // namespace torsor
