#include "table.hpp"

#include <algorithm>
#include <boost/math/interpolators/makima.hpp>

namespace torsor::scene {
namespace {

using Numbers = std::vector<double>;

/// Extends the points at each end by `margin` points, which are copies shifted by a period.
void continue_periodically(Numbers& x, Numbers& y, std::size_t margin) {
  const double period = x.back() - x.front();
  const std::size_t intervals = x.size() - 1;
  Numbers more_x, more_y;
  for (std::size_t i = 0; i < x.size() + 2 * margin; ++i) {
    const std::size_t shifted = i + intervals * margin - margin;  // never negative
    const std::size_t periods = shifted / intervals;
    more_x.push_back(x[shifted % intervals] +
                     period * (static_cast<double>(periods) - static_cast<double>(margin)));
    more_y.push_back(y[shifted % intervals]);
  }
  x = std::move(more_x), y = std::move(more_y);
}

Numbers akima_slopes(Numbers x, Numbers y, bool periodic) {
  constexpr std::size_t margin = 2;  // a slope depends on the two points at each side
  if (periodic) continue_periodically(x, y, margin);
  const Numbers at = x;
  const boost::math::interpolators::makima<Numbers> function(std::move(x), std::move(y));
  Numbers slopes;
  for (const double knot : at) slopes.push_back(function.prime(knot));
  return periodic ? Numbers(slopes.begin() + margin, slopes.end() - margin) : slopes;
}

/// Rows lower s_{i-1} + middle s_i + upper s_{i+1} = right.
struct Tridiagonal {
  Numbers lower, middle, upper;

  explicit Tridiagonal(std::size_t n) : lower(n), middle(n), upper(n) {}
  /// Gaussian elimination without pivoting: all rows but the first and the last are diagonally dominant.
  Numbers solve(Numbers right) const {
    const std::size_t n = middle.size();
    Numbers pivot = middle;
    for (std::size_t i = 1; i < n; ++i) {
      const double factor = lower[i] / pivot[i - 1];
      pivot[i] -= factor * upper[i - 1];
      right[i] -= factor * right[i - 1];
    }
    for (std::size_t i = n; i-- > 0;)
      right[i] = (right[i] - (i + 1 < n ? upper[i] * right[i + 1] : 0)) / pivot[i];
    return right;
  }
};

// The slopes s of a cubic spline with interval widths h and chord slopes m satisfy at each inner knot
//   h_i s_{i-1} + 2 (h_{i-1} + h_i) s_i + h_{i-1} s_{i+1} = 3 (h_i m_{i-1} + h_{i-1} m_i).
// de Boor, A Practical Guide to Splines, IV.

/// The slopes of the spline that has one cubic over the first two intervals, and one over the last two.
Numbers spline_slopes(const Numbers& h, const Numbers& m) {
  const std::size_t n = h.size() + 1;
  Tridiagonal rows(n);
  Numbers right(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    rows.lower[i] = h[i], rows.middle[i] = 2 * (h[i - 1] + h[i]), rows.upper[i] = h[i - 1];
    right[i] = 3 * (h[i] * m[i - 1] + h[i - 1] * m[i]);
  }
  const double first = h[0] + h[1], last = h[n - 2] + h[n - 3];
  rows.middle[0] = h[1], rows.upper[0] = first;
  right[0] = ((h[0] + 2 * first) * h[1] * m[0] + h[0] * h[0] * m[1]) / first;
  rows.middle[n - 1] = h[n - 3], rows.lower[n - 1] = last;
  right[n - 1] = ((h[n - 2] + 2 * last) * h[n - 3] * m[n - 2] + h[n - 2] * h[n - 2] * m[n - 3]) / last;
  return rows.solve(std::move(right));
}

/// The slopes of the periodic spline. The equations hold at each knot of a period, so their matrix is cyclic:
/// the sum of a tridiagonal matrix and a matrix of rank one (Sherman and Morrison).
Numbers periodic_slopes(const Numbers& h, const Numbers& m) {
  const std::size_t n = h.size();
  Tridiagonal rows(n);
  Numbers right(n), corner(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = (i + n - 1) % n;
    rows.lower[i] = h[i], rows.middle[i] = 2 * (h[before] + h[i]), rows.upper[i] = h[before];
    right[i] = 3 * (h[i] * m[before] + h[before] * m[i]);
  }
  const double g = -rows.middle[0], low = rows.lower[0], high = rows.upper[n - 1];
  rows.middle[0] -= g;
  rows.middle[n - 1] -= low * high / g;
  corner[0] = g, corner[n - 1] = high;
  Numbers s = rows.solve(std::move(right));
  const Numbers z = rows.solve(std::move(corner));
  const double factor = (s[0] + low / g * s[n - 1]) / (1 + z[0] + low / g * z[n - 1]);
  for (std::size_t i = 0; i < n; ++i) s[i] -= factor * z[i];
  s.push_back(s[0]);
  return s;
}

}  // namespace

Table::Table(Numbers x, const Numbers& y, Method method, Ends ends)
    : knots_(std::move(x)), last_(y.back()), method_(method), ends_(ends) {
  Numbers h, m;
  for (std::size_t i = 0; i + 1 < knots_.size(); ++i) {
    h.push_back(knots_[i + 1] - knots_[i]);
    m.push_back((y[i + 1] - y[i]) / h[i]);
  }
  const bool periodic = ends == Ends::periodic;
  const Numbers s = method == Method::linear  ? Numbers()
                    : method == Method::akima ? akima_slopes(knots_, y, periodic)
                    : periodic                ? periodic_slopes(h, m)
                                              : spline_slopes(h, m);
  for (std::size_t i = 0; i < h.size(); ++i)
    pieces_.push_back(s.empty() ? std::array{y[i], m[i], 0., 0.}
                                : std::array{y[i], s[i], (3 * m[i] - 2 * s[i] - s[i + 1]) / h[i],
                                             (s[i] + s[i + 1] - 2 * m[i]) / (h[i] * h[i])});
}

bool Table::finite() const {
  const auto is_finite = [](double c) { return std::isfinite(c); };
  return is_finite(period()) && std::all_of(pieces_.begin(), pieces_.end(), [&](const auto& piece) {
           return std::all_of(piece.begin(), piece.end(), is_finite);
         });
}

int Table::continuous_derivatives() const {
  if (method_ == Method::linear || ends_ == Ends::clamped) return 0;
  return method_ == Method::akima ? 1 : 2;
}

bool Table::resolves(double x) const {
  if (ends_ != Ends::periodic) return !std::isnan(x);
  return std::abs((x - knots_.front()) / period()) * static_cast<double>(pieces_.size()) < 0x1p50;
}

std::size_t Table::piece_at(double x) const {
  const auto next = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, x);
  return static_cast<std::size_t>(next - knots_.begin()) - 1;
}

// Indices of intervals. Linear table: each piece is an interval; a periodic table continues to count in the
// periods before and after. Smooth clamped table: all pieces together are the interval 0. The two intervals
// of constant value beside a clamped table have the indices -1 and the number of its intervals.
Table::Interval Table::interval(double index) const {
  const double pieces = method_ == Method::linear ? static_cast<double>(pieces_.size()) : 1;
  const double turns = ends_ == Ends::periodic ? std::floor(index / pieces) : 0, shift = turns * period();
  Interval found{index};
  const double at = index - turns * pieces;
  const auto knot = [&](double k) {
    return knots_[method_ == Method::linear ? static_cast<std::size_t>(k) : k == 0 ? 0 : knots_.size() - 1];
  };
  if (at >= 0) found.begin = knot(at) + shift;
  if (at < pieces) found.end = knot(at + 1) + shift;
  return found;
}

Table::Interval Table::interval_at(double x) const {
  if (!has_kinks()) return {};
  const double pieces = method_ == Method::linear ? static_cast<double>(pieces_.size()) : 1;
  if (ends_ == Ends::periodic) {
    const double turns = std::floor((x - knots_.front()) / period());
    double index = turns * pieces + static_cast<double>(piece_at(x - turns * period()));
    if (x < interval(index).begin) --index;  // rounding
    if (x >= interval(index).end) ++index;
    return interval(index);
  }
  if (x < knots_.front()) return interval(-1);
  if (x >= knots_.back()) return interval(pieces);
  return interval(method_ == Method::linear ? static_cast<double>(piece_at(x)) : 0);
}

Table::Interval Table::interval_at(double x, bool odd) const {
  const Interval at = interval_at(x);
  if (at.odd() == odd) return at;
  return interval(x - at.begin < at.end - x ? at.index - 1 : at.index + 1);
}

Table::Cubic Table::cubic_at(double x, const Interval& interval) const {
  const bool linear = method_ == Method::linear;
  const double pieces = linear ? static_cast<double>(pieces_.size()) : 1;
  if (ends_ == Ends::periodic) {
    const double turns =
        linear ? std::floor(interval.index / pieces) : std::floor((x - knots_.front()) / period());
    const std::size_t piece =
        linear ? static_cast<std::size_t>(interval.index - turns * pieces) : piece_at(x - turns * period());
    return {knots_[piece] + turns * period(), pieces_[piece]};
  }
  if (ends_ == Ends::clamped && interval.index < 0) return {0, {pieces_.front()[0], 0, 0, 0}};
  if (ends_ == Ends::clamped && interval.index >= pieces) return {0, {last_, 0, 0, 0}};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (ends_ == Ends::none && !(x >= knots_.front() && x <= knots_.back())) return {0, {nan, 0, 0, 0}};
  const std::size_t piece =
      linear ? static_cast<std::size_t>(std::clamp(interval.index, 0., pieces - 1)) : piece_at(x);
  return {knots_[piece], pieces_[piece]};
}

}  // namespace torsor::scene
