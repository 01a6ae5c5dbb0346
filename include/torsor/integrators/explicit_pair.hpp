#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace torsor {

/// An embedded pair of explicit Runge-Kutta methods whose coefficients are known to the compiler, with the
/// interface of Odeint's steppers as MuntheKaas uses it: each stage is one pass over its slopes, and a
/// coefficient that is zero costs nothing. The step starts at the origin of the chart.
///
/// `Table`: `stages`, `order`, `error_order`, and as functions of their indices the coefficients `a`, weights
/// `b`, abscissae `c` and the weights `error` of the difference from the embedded solution. A table with a
/// second difference `coarse_error` joins the two, in the Euclidean norm of the chart, to
///
///   e |e| / sqrt(|e|^2 + |e_coarse|^2 / 100),
///
/// which for orders 5 and 3 goes with h^8. Hairer, Norsett, Wanner, Solving ODEs I, II.10.
template <class Table, class Tangent, class Scalar>
class ExplicitPair {
 public:
  static constexpr int order_value = Table::order, error_order_value = Table::error_order;

  template <class Rate>
  void do_step(const Rate& rate, const Tangent& origin, const Tangent& slope, Scalar t, Tangent& u, Scalar h) {
    slopes_[0] = slope;
    u = origin;  // its size
    [&]<std::size_t... I>(std::index_sequence<I...>) { (stage<I + 1>(rate, t, u, h), ...); }
    (std::make_index_sequence<stages - 1>{});
    sum([](std::size_t j) { return Table::b(j); }, h, u);
  }
  template <class Rate>
  void do_step(const Rate& rate, const Tangent& origin, const Tangent& slope, Scalar t, Tangent& u, Scalar h,
               Tangent& error) {
    do_step(rate, origin, slope, t, u, h);
    error.resize(u.size());
    sum([](std::size_t j) { return Table::error(j); }, h, error);
    if constexpr (requires { Table::coarse_error(0); }) {
      coarse_.resize(u.size());
      sum([](std::size_t j) { return Table::coarse_error(j); }, h, coarse_);
      using std::sqrt;
      const Scalar fine = error.squaredNorm(), both = fine + Scalar(0.01) * coarse_.squaredNorm();
      if (both > Scalar(0)) error *= sqrt(fine / both);
    }
  }

 private:
  static constexpr std::size_t stages = Table::stages;

  template <std::size_t i, class Rate>
  void stage(const Rate& rate, Scalar t, Tangent& u, Scalar h) {
    sum([](std::size_t j) { return j < i ? Table::a(i, j) : 0; }, h, u);
    constexpr Scalar c = static_cast<Scalar>(Table::c(i));
    rate(u, slopes_[i], t + c * h);
  }

  /// out = h sum_j weight(j) slope_j.
  template <class Weight>
  void sum(Weight, Scalar h, Tangent& out) const {
    constexpr std::size_t count = [] {
      std::size_t n = 0;
      for (std::size_t j = 0; j < stages; ++j) n += Weight{}(j) != 0 ? 1 : 0;
      return n;
    }();
    constexpr auto column = [] {
      std::array<std::size_t, count> columns{};
      for (std::size_t j = 0, n = 0; j < stages; ++j)
        if (Weight{}(j) != 0) columns[n++] = j;
      return columns;
    }();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      out.noalias() = h * (... + (static_cast<Scalar>(Weight{}(column[I])) * slopes_[column[I]]));
    }
    (std::make_index_sequence<count>{});
  }

  std::array<Tangent, stages> slopes_;
  Tangent coarse_;
};

}  // namespace torsor
