#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "draw.hpp"
#include "torsor/batch/study.hpp"
#include "torsor/lie/detail/real_functions.hpp"

namespace torsor::batch {
namespace {

/// The TOML text of a number: 2, or "2 kg" if there is a unit.
std::string quantity(double x, const std::string& unit) {
  return unit.empty() ? fmt::format("{}", x) : fmt::format("\"{} {}\"", x, unit);
}

Value scalar(double x, const std::string& unit) { return {quantity(x, unit), {x}}; }

Value vector(std::span<const double> components, const std::string& unit) {
  Value value;
  for (const double x : components) {
    value.toml += (value.cells.empty() ? "[" : ", ") + quantity(x, unit);
    value.cells.emplace_back(x);
  }
  value.toml += ']';
  return value;
}

/// The number at the fraction s of a logarithmic range, first (last / first)^s. The ratio may exceed the
/// range of double, so the logarithms of the two numbers are subtracted.
double at_ratio(double first, double last, double s) {
  const real::Extended whole = real::log_extended(std::abs(last)) - real::log_extended(std::abs(first));
  return static_cast<double>(first * real::exp_extended(s * whole));
}

/// The number at the fraction s of the way from `first` to `last`. Their difference may exceed the range of
/// double.
double at_fraction(double first, double last, double s) {
  const double width = last - first;
  return std::isfinite(width) ? first + s * width : (1 - s) * first + s * last;
}

double on(const Range& range, long i) {
  if (range.count == 1 || i == 0) return range.first;
  if (i == range.count - 1) return range.last;
  const double s = static_cast<double>(i) / static_cast<double>(range.count - 1);
  return range.logarithmic ? at_ratio(range.first, range.last, s) : at_fraction(range.first, range.last, s);
}

/// The uniform random numbers of one parameter in one case.
class Uniforms {
 public:
  Uniforms(const Study& study, const Parameter& parameter, std::int64_t k)
      : seed_(study.seed),
        stream_(XXH3_64bits(parameter.key.data(), parameter.key.size())),
        case_(static_cast<std::uint64_t>(k)),
        strata_(parameter.latin ? static_cast<std::uint64_t>(study.cases()) : 1),
        words_(random_words(seed_, stream_, case_, 0)) {}

  double operator()(std::size_t component) const {
    const double u = open_unit(words_[component]);
    if (strata_ == 1) return u;
    const std::uint64_t stratum = KeyedBijection(seed_, stream_ + component, strata_)(case_);
    constexpr double below_one = 1 - std::numeric_limits<double>::epsilon() / 2;
    return std::min((static_cast<double>(stratum) + u) / static_cast<double>(strata_), below_one);
  }

 private:
  std::uint64_t seed_, stream_, case_, strata_;
  std::array<std::uint64_t, 4> words_;
};

/// The arguments of the laws: the index on the axis, or random numbers.
struct At {
  const std::string& unit;
  long place;
  Uniforms u;
};

Value value(const ValueList& law, const At& at) { return law.values[static_cast<std::size_t>(at.place)]; }
Value value(const Range& law, const At& at) { return scalar(on(law, at.place), at.unit); }
Value value(const Uniform& law, const At& at) {
  return scalar(at_fraction(law.from, law.to, at.u(0)), at.unit);
}
Value value(const Normal& law, const At& at) {
  return scalar(law.mean + law.deviation * normal_quantile(at.u(0)), at.unit);
}
Value value(const RandomRotation&, const At& at) {
  return vector(rotation_from(at.u(0), at.u(1), at.u(2)), at.unit);
}
Value value(const RandomDirection& law, const At& at) {
  auto direction = direction_from(at.u(0), at.u(1));
  for (double& x : direction) x *= law.length;
  return vector(direction, at.unit);
}

}  // namespace

std::vector<std::string> Parameter::columns() const {
  const int components = std::holds_alternative<RandomRotation>(law)    ? 4
                         : std::holds_alternative<RandomDirection>(law) ? 3
                                                                        : 0;
  if (components == 0) return {key};
  std::vector<std::string> names(static_cast<std::size_t>(components));
  for (int i = 0; i < components; ++i) names[i] = fmt::format("{}.{}", key, i);
  return names;
}

std::int64_t Study::cases() const {
  std::int64_t all = draws;
  for (const long count : axes) all *= count;
  return all;
}

std::vector<Value> Study::values(std::int64_t k) const {
  std::vector<long> place(axes.size());
  std::int64_t rest = k / draws;
  for (std::size_t axis = axes.size(); axis-- > 0; rest /= axes[axis]) place[axis] = rest % axes[axis];
  std::vector<Value> all;
  for (const Parameter& parameter : parameters) {
    const long own = parameter.axis < 0 ? 0 : place[static_cast<std::size_t>(parameter.axis)];
    const At at{parameter.unit, own, Uniforms(*this, parameter, k)};
    all.push_back(std::visit([&](const auto& law) { return value(law, at); }, parameter.law));
  }
  return all;
}

scene::Overrides Study::overrides(const std::vector<Value>& values_) const {
  scene::Overrides all;
  for (std::size_t i = 0; i < parameters.size(); ++i) all.emplace_back(parameters[i].key, values_[i].toml);
  return all;
}

}  // namespace torsor::batch
