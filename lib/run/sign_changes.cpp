#include "sign_changes.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <new>
#include <random>

#include "compensated_time.hpp"
#include "error_budget.hpp"
#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {
namespace {

/// The greatest number of divisions that lead to one interval.
constexpr int deepest = 20;

/// If a state has at most this number of components, they are moved one by one, otherwise in this number of
/// groups with random signs. The cost is therefore linear in the size of the system.
constexpr int most_directions = 64;

/// The rounding errors of values are found from differences over this many times the rounding of a component.
constexpr double far_rounding = 0x1p26;  // 1 / sqrt(rounding)

/// The value at the part u of an interval of Hermite's cubic that is 0 at the start and `change` at the end.
/// The rates are changes per interval.
double at_part(double u, double change, double rate, double rate_at_end) {
  return u * u * (3 - 2 * u) * change + u * (1 - u) * (1 - u) * rate - u * u * (1 - u) * rate_at_end;
}
/// The rate of that cubic there.
double rate_at_part(double u, double change, double rate, double rate_at_end) {
  return 6 * u * (1 - u) * change + (1 - u) * (1 - 3 * u) * rate - u * (2 - 3 * u) * rate_at_end;
}

int sign_of_value(const PointOfFunction& p) { return (p.value > 0) - (p.value < 0); }

/// The rates at both points. A rate that is not known counts as that of the chord.
std::pair<double, double> known_rates(const PointOfFunction& a, const PointOfFunction& b) {
  const double chord = (b.value - a.value) / (b.s - a.s);
  return {std::isnan(a.rate) ? chord : a.rate, std::isnan(b.rate) ? chord : b.rate};
}

/// Whether the function has no zero between two points, or one if the points have opposite signs; a zero at a
/// point does not count. The coefficients are those of Bernstein's form of Hermite's cubic, raised to degree
/// 4, or of its rate, less the estimated error of the cubic. Between two points of one sign, the cubic may
/// bend away from zero by no more than the values.
bool is_resolved(const PointOfFunction& a, const PointOfFunction& b, double noise) {
  const auto [a_rate, b_rate] = known_rates(a, b);
  const double d = b.s - a.s, change = b.value - a.value, bend = d * (b_rate - a_rate);
  const double defect = std::abs(change - d * (a_rate + b_rate) / 2);
  const double error = std::max(defect, std::abs(bend) / 16),
               far = std::max(std::abs(a.value), std::abs(b.value));
  const auto negative = [&](double coefficient) { return coefficient < -noise / part_for_rates; };
  if (sign_of_value(a) * sign_of_value(b) < 0) {
    const double side = change < 0 ? -1 : 1;
    return !negative(side * d * a_rate) && !negative(side * d * b_rate) &&
           !negative(side * (3 * change - d * (a_rate + b_rate)) - 6 * error);
  }
  const double side = a.value + b.value < 0 ? -1 : 1;
  return !negative(side * (a.value + d * a_rate / 4)) && !negative(side * (b.value - d * b_rate / 4)) &&
         !negative(side * ((a.value + b.value) / 2 - bend / 6) - 4 * error / 3) &&
         !negative(far - std::abs(bend) / 8);
}

/// Whether the cubic between two points is far from the value inside.
bool misses(const PointOfFunction& a, const PointOfFunction& b, const ValueAtPart& inside, double noise) {
  const auto [a_rate, b_rate] = known_rates(a, b);
  const double d = b.s - a.s;
  const double cubic = a.value + at_part(inside.part, b.value - a.value, d * a_rate, d * b_rate);
  const double far = std::max(std::abs(a.value), std::abs(b.value));
  return std::abs(cubic - inside.value) > far / 16 + noise / part_for_rates;
}

}  // namespace

void SignChanges::find(const PointOfFunction& a, const PointOfFunction& b,
                       std::span<const ValueAtPart> inside, double noise, const At& at, bool first) {
  found_.clear();
  evaluations_ = 0;
  noise = std::max({noise, rounding * std::abs(a.value), rounding * std::abs(b.value)});
  const bool divide = std::any_of(inside.begin(), inside.end(),
                                  [&](const ValueAtPart& one) { return misses(a, b, one, noise); });
  search(a, b, noise, at, first, 0, divide);
}

void SignChanges::find_first(const PointOfFunction& a, const PointOfFunction& b,
                             std::span<const ValueAtPart> inside, double gap, double noise, const At& at) {
  constexpr double times_longer = 8;  // four periods of a function with two zeros in each
  const auto find_in_part = [&](const PointOfFunction& from, const PointOfFunction& to) {
    std::array<ValueAtPart, 2> values{};
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double part = parts_inside[k], d = to.s - from.s;
      values[k] = {part, at(from.s + part * d, part_for_rates * d).value};
    }
    find(from, to, values, noise, at, true);
    return !found_.empty() || too_many();
  };
  PointOfFunction from = a;
  for (double end = times_longer * gap; end > 0 && end < (b.s - a.s) / 2; end *= times_longer) {
    const PointOfFunction to = at(a.s + end, -part_for_rates * (a.s + end - from.s));
    if (find_in_part(from, to)) return;
    from = to;
  }
  if (from.s > a.s)
    find_in_part(from, b);
  else
    find(a, b, inside, noise, at, true);
}

void SignChanges::search(const PointOfFunction& a, const PointOfFunction& b, double noise, const At& at,
                         bool first, int depth, bool divide) {
  if ((first && !found_.empty()) || too_many()) return;
  const auto end = [&] {
    if (sign_of_value(a) != 0 && sign_of_value(a) != sign_of_value(b)) found_.emplace_back(a, b);
  };
  const bool is_simple = !divide && is_resolved(a, b, noise);
  if (depth == deepest || (is_simple && depth == 0))
    return end();  // the values inside the step were compared
  ++evaluations_;
  const PointOfFunction between = at(a.s + part_before * (b.s - a.s), part_for_rates * (b.s - a.s));
  divide = misses(a, b, {part_before, between.value}, noise);
  if (is_simple && !divide) return end();
  search(a, between, noise, at, first, depth + 1, divide);
  search(between, b, noise, at, first, depth + 1, divide);
}

double zero_between(const std::function<double(double s)>& f, double t, double from, double to,
                    double at_from, double at_to) {
  const double resolution = time_resolution(t + to) / 4;
  const auto narrow = [&](double a, double b) { return b - a <= std::max(resolution, 1e-15 * to); };
  std::uintmax_t most = 100;
  const auto [a, b] = boost::math::tools::toms748_solve(f, from, to, at_from, at_to, narrow, most);
  return (a + b) / 2;
}

void InterpolatedStep::begin(const System& system, const State& x, double h, const State& x_end) {
  h_ = h;
  change_.resize(system.nv()), rate_at_end_.resize(system.nv());
  system.local_difference(x.q, x_end.q, change_);
  system.dexp_inv(change_, x_end.v, rate_at_end_);
  v_change_ = x_end.v - x.v;
}

void InterpolatedStep::at(const System& system, const State& x, double part, State& out) {
  const auto n = system.nv() - system.additions();
  xi_.resize(system.nv()), out.v.resize(system.nv());
  out.q = x.q;
  for (Eigen::Index i = 0; i < xi_.size(); ++i) {
    const double begin = h_ * x.v[i], end = h_ * rate_at_end_[i];
    xi_[i] = at_part(part, change_[i], begin, end);
    out.v[i] = i < n ? rate_at_part(part, change_[i], begin, end) / h_ : x.v[i] + part * v_change_[i];
  }
  system.retract(x.q, xi_, out.q);
}

void look_ahead(const System& system, double t, const State& x, double d, State& out) try {
  out.q = x.q;  // `out` keeps its memory from one step to the next
  out.v = d * x.v;
  system.retract(x.q, out.v, out.q);
  system.acceleration(t, x.q, x.v, out.v);
  if (system.constrained() && system.constrained()->conditioning().near_rank_loss()) {
    out = {};
    return;
  }
  out.v = x.v + d * out.v;
  if (const VelocityMap* const map = system.velocity_map()) map->velocity(t + d, out.q, out.v, out.v);
} catch (const std::bad_alloc&) {
  throw;
} catch (...) {  // a step that needs the field there fails too
  out = {};
}

const Vec& StatesBeside::rounding_of(const System& system, double t, const State& x, const At& at) {
  at(t, x, values_);
  all_.setZero(values_.size());
  none_.setZero(system.nv());
  add_change(at, t + std::sqrt(rounding) * t, x);
  const int directions = std::min(system.nv(), most_directions);
  std::minstd_rand random;
  moved_.q = x.q, moved_.v = x.v;
  for (int k = 0; k < directions; ++k) {
    direction_.setZero(system.nv());
    for (int i = k; i < system.nv(); i += directions) direction_[i] = i == k || random() % 2 == 0 ? 1 : -1;
    if (const double size = system.error_norm(x, direction_, none_); size > 0) {
      xi_ = far_rounding * rounding / size * direction_;
      system.retract(x.q, xi_, moved_.q);
      add_change(at, t, moved_);
      moved_.q = x.q;
    }
    if (const double size = system.error_norm(x, none_, direction_); size > 0) {
      moved_.v += far_rounding * rounding / size * direction_;
      add_change(at, t, moved_);
      moved_.v = x.v;
    }
  }
  return all_;
}

/// Adds the change of the values that one rounding causes: the change at a state that is `far_rounding` times
/// the rounding away, divided by `far_rounding`.
void StatesBeside::add_change(const At& at, double t, const State& x) {
  at(t, x, moved_values_);
  for (Eigen::Index i = 0; i < all_.size(); ++i)
    if (const double change = std::abs(moved_values_[i] - values_[i]) / far_rounding; std::isfinite(change))
      all_[i] += change;
}

}  // namespace torsor::mechanics
