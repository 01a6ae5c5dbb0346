#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>

#include "torsor/lie/scalar.hpp"
#include "torsor/lie/types.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TORSOR_FLATTEN  // flattening would copy the sanitizer checks of every call
#elif defined(__clang__)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TORSOR_FLATTEN
#endif
#endif
#ifndef TORSOR_FLATTEN
#define TORSOR_FLATTEN [[gnu::flatten]]
#endif

namespace torsor {

/// An embedded pair of explicit Runge-Kutta methods whose coefficients are known to the compiler. It has the
/// part of the interface of Odeint's steppers that MuntheKaas uses. Each stage is one pass over its slopes,
/// and a coefficient that is zero costs nothing. The step starts at the origin of the exponential chart.
///
/// `Table` has `stages`, `order` and `error_order`, and as functions of their indices the coefficients `a`,
/// weights `b`, abscissae `c` and weights `error` of the difference e from the embedded solution. If the
/// table also has the weights `coarse_error` of a second difference e_coarse, the error estimate is
///
///   e |e| / sqrt(|e|^2 + |e_coarse|^2 / 100),
///
/// which is proportional to h^8 for embedded orders 5 and 3. Hairer, Norsett, Wanner, Solving ODEs I, II.10.
/// The formula is applied separately to the first half of the vector (chart vector) and to the second half
/// (velocity), each with its own Euclidean norms: in a common norm the rates of a fast spin would hide the
/// errors of its angles. Quadratures, the last components of each half, keep the estimate e. A vector of odd
/// length, of a field on a group alone, has no halves: it has one norm. On SE(3) alone the halves are the
/// translation and the rotation.
///
/// With `Table::first_same_as_last` the last stage is at the end of the step: its row of `a` takes the place
/// of `b`, and its slope is the first one of the next step.
template <class Table, class Tangent, class Scalar>
class ExplicitPair {
 public:
  static constexpr int order_value = Table::order, error_order_value = Table::error_order;
  static constexpr bool first_same_as_last = requires { Table::first_same_as_last; };

  /// Flattened (all calls inlined): a stage that is a function call stores its results one number at a time,
  /// and the sums, which load them in pairs, wait for the stores.
  template <class Rate>
  TORSOR_FLATTEN void do_step(const Rate& rate, const Tangent& origin, const Tangent& slope, Scalar t,
                              Tangent& u, Scalar h) {
    slopes_[0] = slope;
    u = origin;  // sets the size of u
    [&]<std::size_t... k>(std::index_sequence<k...>) { (stage<k + 1>(rate, t, u, h), ...); }
    (std::make_index_sequence<stages - 1>{});
    if constexpr (!first_same_as_last) sum([](std::size_t j) { return Table::b(j); }, h, u);
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
      const auto half = error.size() % 2 == 0 ? error.size() / 2 : 0;
      join(error, 0, half - quadratures_);
      join(error, half, error.size() - quadratures_);
    }
  }

  /// The slope at the end of the last step.
  const Tangent& last_slope() const requires first_same_as_last { return slopes_.back(); }

  /// Sets the number of quadratures of the field.
  void leave_out(Eigen::Index quadratures) { quadratures_ = quadratures; }

 private:
  static constexpr std::size_t stages = Table::stages;
  static constexpr int size = Tangent::SizeAtCompileTime;
  static constexpr int most_unrolled = 12;

  /// Combines both differences in the components [first, last). The order of summation is the same for single
  /// numbers and packs, so the bits are the same.
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
    constexpr bool is_unrolled = 0 < size && size <= most_unrolled;
    if constexpr (is_unrolled && size % 2 == 0 && std::same_as<Scalar, double> && column.size() > 2) {
      short_sum<Weight>(h, out);
    } else if constexpr (is_unrolled) {
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        const Scalar sums[]{number<Weight>(h, K)...};
        ((out[K] = sums[K]), ...);
      }
      (std::make_index_sequence<size>{});
    } else if constexpr (lanes<Scalar> > 1) {
      // The bits of single numbers: those of short_sum for the sizes that ExplicitStepper compiles, otherwise
      // those of the sum below.
      const auto n = out.size();
      const bool is_short = n == 2 || n == 4 || n == 6 || n == 12;
      for (Eigen::Index k = 0; k < n; ++k)
        out[k] = is_short ? number<Weight>(h, k)
                          : h * combination<Weight, column.size()>(
                                    [k](const Tangent& slope) -> const Scalar& { return slope[k]; });
    } else {
      out.noalias() = h * combination<Weight, column.size()>(
                              [](const Tangent& slope) -> const Tangent& { return slope; });
    }
  }

  /// Two doubles in one register. Expressions of Eigen give the same instructions but take longer to compile.
  using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;

  /// The sum for a short vector of doubles. The slopes were stored as single numbers. The two newest are
  /// loaded so, since a load of a pair would wait for both stores; the others are loaded in pairs.
  template <class Weight>
  void short_sum(Scalar h, Tangent& out) const {
    constexpr auto column = nonzero<Weight>();
    constexpr std::size_t last = column.size() - 1;
    const Scalar weight = constant<Scalar>(Weight{}(column[last - 1]));
    const Scalar weight_of_newest = h * constant<Scalar>(Weight{}(column[last]));
    const Tangent &second = slopes_[column[last - 1]], &newest = slopes_[column[last]];
    [&]<int... K>(std::integer_sequence<int, K...>) {
      const Pair older[]{combination<Weight, last - 1>([](const Tangent& slope) {
        return Pair{slope[2 * K], slope[2 * K + 1]};
      })...};
      const auto sum = [&](int i) {
        return h * (older[i / 2][i % 2] + weight * second[i]) + weight_of_newest * newest[i];
      };
      const Scalar sums[]{sum(2 * K)..., sum(2 * K + 1)...};
      ((out[2 * K] = sums[K], out[2 * K + 1] = sums[size / 2 + K]), ...);
    }
    (std::make_integer_sequence<int, size / 2>{});
  }

  /// Component k of the sum, with the same bits as in short_sum.
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

  /// sum_j weight(j) part(slope_j) over the first `count` columns with nonzero weight.
  template <class Weight, std::size_t count, class Part>
  auto combination(const Part& part) const {
    constexpr auto column = nonzero<Weight>();
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return (... + (constant<Scalar>(Weight{}(column[k])) * part(slopes_[column[k]])));
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
  Eigen::Index quadratures_ = 0;
};

}  // namespace torsor

#undef TORSOR_FLATTEN
