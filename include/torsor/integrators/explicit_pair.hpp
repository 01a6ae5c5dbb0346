#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "torsor/lie/scalar.hpp"
#include "torsor/lie/types.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TORSOR_FLATTEN  // the checks of each call would be copied with it
#else
#define TORSOR_FLATTEN [[gnu::flatten]]
#endif

namespace torsor {

/// An embedded pair of explicit Runge-Kutta methods whose coefficients are known to the compiler, with the
/// interface of Odeint's steppers as MuntheKaas uses it: each stage is one pass over its slopes, and a
/// coefficient that is zero costs nothing. The step starts at the origin of the chart.
///
/// `Table`: `stages`, `order`, `error_order`, and as functions of their indices the coefficients `a`, weights
/// `b`, abscissae `c` and the weights `error` of the difference from the embedded solution. A table with a
/// second difference `coarse_error` joins the two to
///
///   e |e| / sqrt(|e|^2 + |e_coarse|^2 / 100),
///
/// which for orders 5 and 3 goes with h^8. Hairer, Norsett, Wanner, Solving ODEs I, II.10. The Euclidean
/// norms are those of the chart's vector, the first half, and of the velocity, the second: in a common one
/// the rates of a fast spin would hide the errors of its angles.
template <class Table, class Tangent, class Scalar>
class ExplicitPair {
 public:
  static constexpr int order_value = Table::order, error_order_value = Table::error_order;

  /// Flattened: a stage that is called sends its numbers through memory, one by one, and the sums that load
  /// them in pairs wait for the stores.
  template <class Rate>
  TORSOR_FLATTEN void do_step(const Rate& rate, const Tangent& origin, const Tangent& slope, Scalar t,
                              Tangent& u, Scalar h) {
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
      const auto half = error.size() / 2;
      join(error, 0, half);
      join(error, half, error.size());
    }
  }

 private:
  static constexpr std::size_t stages = Table::stages;
  static constexpr int size = Tangent::SizeAtCompileTime;
  static constexpr int most_unrolled = 12;

  /// Joins both differences in the components from `first` to before `last`. The sums run in one order for
  /// single numbers and packs.
  void join(Tangent& error, Eigen::Index first, Eigen::Index last) const {
    Scalar fine(0), coarse(0);
    for (Eigen::Index i = first; i < last; ++i)
      fine += error[i] * error[i], coarse += coarse_[i] * coarse_[i];
    const Scalar both = fine + Scalar(0.01) * coarse, least(std::numeric_limits<RealOf<Scalar>>::min());
    const Scalar factor = torsor::sqrt(Scalar(fine / torsor::max(both, least)));
    for (Eigen::Index i = first; i < last; ++i) error[i] *= factor;
  }

  template <std::size_t i, class Rate>
  void stage(const Rate& rate, Scalar t, Tangent& u, Scalar h) {
    sum([](std::size_t j) { return j < i ? Table::a(i, j) : 0; }, h, u);
    rate(u, slopes_[i], t + constant<Scalar>(Table::c(i)) * h);
  }

  /// out = h sum_j weight(j) slope_j, in one pass.
  template <class Weight>
  void sum(Weight, Scalar h, Tangent& out) const {
    constexpr auto column = nonzero<Weight>();
    if constexpr (0 < size && size <= most_unrolled) {
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        const Scalar sums[]{number<Weight>(h, K)...};
        ((out[K] = sums[K]), ...);
      }
      (std::make_index_sequence<size>{});
    } else if constexpr (lanes<Scalar> > 1) {  // with the bits of single numbers, which follow
      const auto n = out.size();
      const bool is_short = n == 2 || n == 4 || n == 6 || n == 12;
      for (Eigen::Index k = 0; k < n; ++k)
        out[k] = is_short ? number<Weight>(h, k)
                          : h * combination<Weight, column.size()>(
                                    [k](const Tangent& slope) -> const Scalar& { return slope[k]; });
    } else {
      switch (out.size()) {  // a coordinate, two of them, a turning body, a free one
        case 2:
          return short_sum<2, Weight>(h, out);
        case 4:
          return short_sum<4, Weight>(h, out);
        case 6:
          return short_sum<6, Weight>(h, out);
        case 12:
          return short_sum<12, Weight>(h, out);
        default:
          out.noalias() = h * combination<Weight, column.size()>(
                                  [](const Tangent& slope) -> const Tangent& { return slope; });
      }
    }
  }

  /// With the bits of short_sum.
  template <class Weight>
  Scalar number(Scalar h, Eigen::Index k) const {
    constexpr auto column = nonzero<Weight>();
    constexpr std::size_t newest = column.size() - 1;
    Scalar sum(0);
    if constexpr (newest > 0)
      sum = h * combination<Weight, newest>([k](const Tangent& slope) { return slope[k]; });
    const Scalar weight = h * constant<Scalar>(Weight{}(column[newest]));
    return sum + weight * slopes_[column[newest]][k];
  }

  /// The newest slope was just stored as single numbers and is loaded as such: a load of a pair would wait
  /// for both.
  template <int n, class Weight>
  void short_sum(Scalar h, Tangent& out) const {
    constexpr auto column = nonzero<Weight>();
    constexpr std::size_t newest = column.size() - 1;
    Vector<Scalar, n> sums = Vector<Scalar, n>::Constant(Scalar(0));
    if constexpr (newest > 0)
      sums = h * combination<Weight, newest>(
                     [](const Tangent& slope) { return Eigen::Map<const Vector<Scalar, n>>(slope.data()); });
    const Scalar weight = h * constant<Scalar>(Weight{}(column[newest]));
    for (int k = 0; k < n; ++k) out[k] = sums[k] + weight * slopes_[column[newest]][k];
  }

  /// sum_j weight(j) part(slope_j) over the first `count` columns.
  template <class Weight, std::size_t count, class Part>
  auto combination(const Part& part) const {
    constexpr auto column = nonzero<Weight>();
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (... + (constant<Scalar>(Weight{}(column[I])) * part(slopes_[column[I]])));
    }
    (std::make_index_sequence<count>{});
  }

  /// The columns whose weight is not zero.
  template <class Weight>
  static constexpr auto nonzero() {
    constexpr std::size_t count = [] {
      std::size_t n = 0;
      for (std::size_t j = 0; j < stages; ++j) n += Weight{}(j) != 0 ? 1 : 0;
      return n;
    }();
    std::array<std::size_t, count> columns{};
    for (std::size_t j = 0, n = 0; j < stages; ++j)
      if (Weight{}(j) != 0) columns[n++] = j;
    return columns;
  }

  std::array<Tangent, stages> slopes_;
  Tangent coarse_;
};

}  // namespace torsor

#undef TORSOR_FLATTEN
