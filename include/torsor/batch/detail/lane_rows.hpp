#pragma once

#include <array>
#include <cstddef>

#include "torsor/batch/ensemble.hpp"
#include "torsor/lie/pack.hpp"

namespace torsor {

/// Points and fields of the copies from k on, one in each lane. If fewer copies than lanes remain, the last
/// copy fills the other lanes.
template <class F>
struct LaneRows {
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  static constexpr std::size_t width = static_cast<std::size_t>(lanes<Scalar>);
  static constexpr int numbers = Point::nq;
  static constexpr int parameters = [] {
    if constexpr (requires { F::parameters; }) return int(F::parameters);
    return 0;
  }();
  using Numbers = std::array<Scalar, numbers>;
  using Parameters = std::array<Scalar, parameters>;

  static Scalar row(const double* all, int i, const Copies& copies, std::size_t k) {
    const double* from = all + static_cast<std::size_t>(i) * copies.copies + k;
    if (k + width <= copies.end) return Scalar(from, stdx::element_aligned);
    const std::size_t last = copies.end - k - 1;
    return Scalar([&](std::size_t lane) { return from[lane < last ? lane : last]; });
  }
  static Point point(const Copies& copies, std::size_t k) {
    Numbers y;
    for (int i = 0; i < numbers; ++i) y[i] = row(copies.points, i, copies, k);
    return Point::from(y.data());
  }
  static void store(const Point& point, const Copies& copies, std::size_t k) {
    Numbers y;
    point.to(y.data());
    for (int i = 0; i < numbers; ++i) {
      double* to = copies.points + static_cast<std::size_t>(i) * copies.copies + k;
      if (k + width <= copies.end) {
        y[i].copy_to(to, stdx::element_aligned);
      } else {
        for (std::size_t lane = 0; k + lane < copies.end; ++lane) to[lane] = y[i][lane];
      }
    }
  }
  static F field(const Parameters& values) {
    if constexpr (parameters > 0)
      return F(values);
    else
      return F();
  }
  static Parameters parameters_of(const Copies& copies, std::size_t k) {
    Parameters values;
    for (int i = 0; i < parameters; ++i) values[i] = row(copies.parameters, i, copies, k);
    return values;
  }
  static F field(const Copies& copies, std::size_t k) { return field(parameters_of(copies, k)); }
};

}  // namespace torsor
