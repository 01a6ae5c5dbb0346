#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace torsor::scene {

/// A function of one variable that interpolates points: cubic polynomials between increasing knots.
///
///   linear  the line between two points. Continuous.
///   akima   modified Akima interpolation (Boost's makima) of at least four points. One continuous
///           derivative.
///   cubic   the spline of at least four points whose third derivative is continuous at the second and the
///           last but one knot (not-a-knot), or the periodic spline. Two continuous derivatives.
///
/// Beyond the last points the function is constant (clamped), continues with the period of the points
/// (periodic; the first and the last value must be equal), or has no value, NaN (none). A periodic table has
/// no value at a place so far away that doubles no longer resolve its intervals.
class Table {
 public:
  enum class Method { linear, akima, cubic };
  enum class Ends { clamped, periodic, none };

  /// `x`: strictly increasing. `x` and `y` have as many numbers as the method needs.
  Table(std::vector<double> x, const std::vector<double>& y, Method method, Ends ends);

  static std::size_t least_points(Method method) { return method == Method::linear ? 2 : 4; }

  /// Whether all coefficients are finite: points that are too close or too large overflow.
  bool finite() const;
  /// The number of derivatives that are continuous on the whole line. It is 0 for a clamped table, whose
  /// slope jumps at both ends.
  int continuous_derivatives() const;
  /// Whether the function has kinks at its ends only, beyond which it is constant.
  bool breaks_at_ends_only() const { return ends_ == Ends::clamped && method_ != Method::linear; }
  /// Whether the function has kinks: at the knots of a linear table, and at the ends of a clamped one.
  bool has_kinks() const { return continuous_derivatives() == 0; }

  /// Whether doubles resolve the interval of x: x is not NaN, and in a periodic table it is within 2^50
  /// intervals. The functions below need such an x.
  bool resolves(double x) const;

  /// An interval between two kinks, the whole line if there are none. Intervals are counted along the line.
  struct Interval {
    double index = 0, begin = -std::numeric_limits<double>::infinity(),
           end = std::numeric_limits<double>::infinity();
    bool odd() const { return index != 2 * std::floor(index / 2); }
  };
  Interval interval_at(double x) const;
  /// The interval at x if its index has the parity `odd`; otherwise its neighbour that is nearer to x.
  Interval interval_at(double x, bool odd) const;

  /// The polynomial sum of c_k (x - origin)^k at x, as it continues beyond the interval.
  struct Cubic {
    double origin;
    std::array<double, 4> c;
  };
  Cubic cubic_at(double x, const Interval& interval) const;

 private:
  Interval interval(double index) const;
  double period() const { return knots_.back() - knots_.front(); }
  std::size_t piece_at(double x) const;

  std::vector<double> knots_;
  std::vector<std::array<double, 4>> pieces_;
  double last_;  ///< the value at the last knot
  Method method_;
  Ends ends_;
};

}  // namespace torsor::scene
