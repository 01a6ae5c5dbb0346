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

/// The components of a state are moved one by one if there are at most so many, and otherwise in so many groups with
/// random signs. The cost is therefore linear in the size of the system.
constexpr int most_directions = 64;

/// The value at part_before of an interval of Hermite's cubic that is 0 at the start and `change` at the end. The rates
/// are changes per interval.
template <class Value>
Value at_part(const Value& change, const Value& rate, const Value& rate_at_end) {
  constexpr double u = part_before;
  return u * u * (3 - 2 * u) * change + u * (1 - u) * (1 - u) * rate - u * u * (1 - u) * rate_at_end;
}
/// The rate of that cubic there.
template <class Value>
Value rate_at_part(const Value& change, const Value& rate, const Value& rate_at_end) {
  constexpr double u = part_before;
  return 6 * u * (1 - u) * change + (1 - u) * (1 - 3 * u) * rate - u * (2 - 3 * u) * rate_at_end;
}

int sign_of_value(const PointOfFunction& p) { return (p.value > 0) - (p.value < 0); }

/// Whether the function has no zero between two points, or one if the points have opposite signs; a zero at a point
/// does not count. The coefficients are those of Bernstein's form of Hermite's cubic, or of its rate, less the
/// estimated error of the cubic. Between two points of one sign, the cubic may bend away from zero by no more than the
/// values.
bool is_resolved(const PointOfFunction& a, const PointOfFunction& b, double noise) {
  const double d = b.s - a.s, change = b.value - a.value, bend = d * (b.rate - a.rate);
  const double defect = std::abs(change - d * (a.rate + b.rate) / 2);
  const double error = std::max(defect, std::abs(bend) / 16),
               far = std::max(std::abs(a.value), std::abs(b.value));
  const auto negative = [&](double coefficient) { return coefficient < -noise / part_for_rates; };
  if (sign_of_value(a) * sign_of_value(b) < 0) {
    const double side = change < 0 ? -1 : 1;
    return !negative(side * d * a.rate) && !negative(side * d * b.rate) &&
           !negative(side * (3 * change - d * (a.rate + b.rate)) - 6 * error);
  }
  const double side = a.value + b.value < 0 ? -1 : 1;
  return !negative(side * (a.value + d * a.rate / 4)) && !negative(side * (b.value - d * b.rate / 4)) &&
         !negative(side * ((a.value + b.value) / 2 - bend / 6) - 4 * error / 3) &&
         !negative(far - std::abs(bend) / 8);
}

/// Whether the cubic is far from the value at part_before of the distance between two points.
bool misses(const PointOfFunction& a, const PointOfFunction& b, double value, double noise) {
  const double cubic = a.value + at_part(b.value - a.value, (b.s - a.s) * a.rate, (b.s - a.s) * b.rate);
  const double far = std::max(std::abs(a.value), std::abs(b.value));
  return std::abs(cubic - value) > far / 16 + noise / part_for_rates;
}

}  // namespace

void SignChanges::find(const PointOfFunction& a, const PointOfFunction& b, double inside, double noise,
                       const At& at, bool first) {
  found_.clear();
  evaluations_ = 0;
  noise = std::max({noise, rounding * std::abs(a.value), rounding * std::abs(b.value)});
  search(a, b, noise, at, first, 0, misses(a, b, inside, noise));
}

void SignChanges::search(const PointOfFunction& a, const PointOfFunction& b, double noise, const At& at,
                         bool first, int depth, bool divide) {
  if ((first && !found_.empty()) || too_many()) return;
  if (depth == deepest || (!divide && is_resolved(a, b, noise))) {
    if (sign_of_value(a) != 0 && sign_of_value(a) != sign_of_value(b)) found_.emplace_back(a, b);
    return;
  }
  ++evaluations_;
  const PointOfFunction between = at(a.s + part_before * (b.s - a.s), part_for_rates * (b.s - a.s));
  divide = misses(a, b, between.value, noise);
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

void interpolate_part(const System& system, const State& x, double h, const State& x_end, State& out) {
  const auto n = system.nv() - system.additions();
  Vec xi(system.nv()), v_end(system.nv());
  system.local_difference(x.q, x_end.q, xi);
  system.dexp_inv(xi, x_end.v, v_end);
  const Vec begin = h * x.v, end = h * v_end, to_part = at_part<Vec>(xi, begin, end);
  out = x;
  system.retract(x.q, to_part, out.q);
  out.v += part_before * (x_end.v - x.v);
  out.v.head(n) = rate_at_part<Vec>(xi, begin, end).head(n) / h;
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

Vec rounding_of(const System& system, double t, const State& x,
                const std::function<Vec(double t, const State& x)>& at) {
  const double far = 1 / std::sqrt(rounding);  // differences over this many times the rounding of a component
  const Vec values = at(t, x), none = Vec::Zero(system.nv());
  Vec all = Vec::Zero(values.size());
  const auto add = [&](const Vec& moved) {
    const Vec change = (moved - values).cwiseAbs() / far;
    all += change.array().isFinite().select(change, 0).matrix();
  };
  add(at(t + std::sqrt(rounding) * t, x));
  const int directions = std::min(system.nv(), most_directions);
  std::minstd_rand random;
  for (int k = 0; k < directions; ++k) {
    Vec direction = none;
    for (int i = k; i < system.nv(); i += directions) direction[i] = i == k || random() % 2 == 0 ? 1 : -1;
    State moved = x;
    if (const double size = system.error_norm(x, direction, none); size > 0) {
      const Vec xi = far * rounding / size * direction;
      system.retract(x.q, xi, moved.q);
      add(at(t, moved));
      moved.q = x.q;
    }
    if (const double size = system.error_norm(x, none, direction); size > 0) {
      moved.v += far * rounding / size * direction;
      add(at(t, moved));
    }
  }
  return all;
}

}  // namespace torsor::mechanics
