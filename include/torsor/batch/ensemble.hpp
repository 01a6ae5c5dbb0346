#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "torsor/integrators/integrate.hpp"
#include "torsor/lie/arrays.hpp"

namespace torsor {

/// The number of parameters of a field. Each copy of the field has its own values.
template <template <class> class Field>
inline constexpr int parameter_count = [] {
  if constexpr (requires { Field<double>::parameters; }) return int(Field<double>::parameters);
  return 0;
}();

/// Copies [begin, end) of an ensemble as its kernels receive them: number i of copy k is at
/// [i * copies + k].
struct Copies {
  double* points;
  const double* parameters;
  std::size_t copies, begin, end;
};

/// The functions that integrate an ensemble by one method, compiled for one instruction set.
template <template <class> class Field>
struct EnsembleKernels {
  Isa isa;
  int lanes;
  void (*equal_steps)(const Copies& copies, double t, double h, long n);
  /// nullptr for methods without an error estimate.
  void (*controlled)(const Copies& copies, double t, double t_end, const IntegrateOptions& options,
                     IntegrateResult* results);
};

/// The kernels for one instruction set. They are defined in ensemble_kernels.hpp, and instantiated in a
/// source file that `torsor_lanes` of the CMake package compiles once for each set.
template <template <class> class Field, template <class> class Method, Isa isa>
struct LaneKernels {
  static const EnsembleKernels<Field> table;
};

#ifdef __clang__  // the tables are defined in other sources
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
/// The kernels for an instruction set, by default the widest of this processor. If SETS of torsor_lanes
/// leaves this set out, the kernels for the next narrower set of SETS. Throws std::invalid_argument if the
/// processor does not have the set, or if SETS has wider sets only. torsor_lanes defines the macros below for
/// the sources of its target, so only these sources know its SETS.
template <template <class> class Field, template <class> class Method>
const EnsembleKernels<Field>& ensemble_kernels(Isa isa = best_isa()) {
  if (!is_available(isa))
    throw std::invalid_argument("instruction set " + std::string(to_string(isa)) + " is not available here");
#ifdef __x86_64__
#ifndef TORSOR_WITHOUT_AVX512
  if (isa == Isa::avx512) return LaneKernels<Field, Method, Isa::avx512>::table;
#endif
#ifndef TORSOR_WITHOUT_AVX2
  if (isa >= Isa::avx2) return LaneKernels<Field, Method, Isa::avx2>::table;
#endif
#endif
#ifndef TORSOR_WITHOUT_SSE2
  return LaneKernels<Field, Method, Isa::sse2>::table;
#else
  throw std::invalid_argument("there are no kernels for instruction set " + std::string(to_string(isa)) +
                              " or a narrower one");
#endif
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

/// Many copies of one small system, each with its own state and parameters. The processor integrates as many
/// copies at once as its registers have lanes. The result of a copy has the same bits as `integrate` and
/// `integrate_steps` for this copy alone in doubles, regardless of the other copies, the index of the copy,
/// the number of copies and the instruction set.
///
/// `Field<Scalar>` is a LieField (field.hpp) for doubles and packs alike: instead of branching on a value it
/// uses `select`. A point is stored as `Point::nq` numbers; it has `Point::from(numbers)` and
/// `y.to(numbers)`, as groups and Phase have. A field with `static constexpr int parameters` is constructed
/// from a std::array<Scalar, parameters>; any other field is default-constructed.
template <template <class> class Field>
class Ensemble {
 public:
  using Point = typename Field<double>::Point;
  static constexpr int numbers = Point::nq, parameters = parameter_count<Field>;
  using Parameters = std::array<double, parameters>;

  explicit Ensemble(std::size_t copies)
      : copies_(copies), points_(numbers * copies), parameters_(parameters * copies) {
    const Point start{};
    for (std::size_t k = 0; k < copies; ++k) set(k, start);
  }

  std::size_t size() const { return copies_; }

  void set(std::size_t copy, const Point& y) {
    std::array<double, numbers> stored;
    y.to(stored.data());
    check(copy);
    for (int i = 0; i < numbers; ++i) row(i)[copy] = stored[static_cast<std::size_t>(i)];
  }
  Point get(std::size_t copy) const {
    check(copy);
    std::array<double, numbers> stored;
    for (int i = 0; i < numbers; ++i) stored[static_cast<std::size_t>(i)] = row(i)[copy];
    return Point::from(stored.data());
  }
  void set_parameters(std::size_t copy, const Parameters& values) {
    check(copy);
    for (std::size_t i = 0; i < values.size(); ++i) parameters_[i * copies_ + copy] = values[i];
  }

  /// Number i of all copies.
  std::span<double> row(int i) { return std::span(points_).subspan(begin(i), copies_); }
  std::span<const double> row(int i) const { return std::span(points_).subspan(begin(i), copies_); }

  /// Whether all numbers of a copy are finite.
  bool finite(std::size_t copy) const {
    check(copy);
    for (int i = 0; i < numbers; ++i)
      if (!std::isfinite(row(i)[copy])) return false;
    return true;
  }

  /// The copies [begin, end). Threads may work on one ensemble at once if their ranges do not overlap.
  struct Range {
    std::size_t begin = 0, end = std::numeric_limits<std::size_t>::max();
  };

  /// Takes n equal steps with each copy, starting at t, as `integrate_steps` does.
  void steps(const EnsembleKernels<Field>& kernels, double t, double h, long n, Range range) {
    kernels.equal_steps(copies(range), t, h, n);
  }
  void steps(const EnsembleKernels<Field>& kernels, double t, double h, long n) {
    steps(kernels, t, h, n, Range());
  }

  /// Integrates each copy from t to t_end with its own step sizes, as `integrate` does. A lane whose copy is
  /// done takes the next copy at once. Returns one result for each copy of the range.
  std::vector<IntegrateResult> integrate(const EnsembleKernels<Field>& kernels, double t, double t_end,
                                         const IntegrateOptions& options, Range range) {
    if (!kernels.controlled)
      throw std::invalid_argument("error control needs a method with an embedded solution");
    options.check(t, t_end);
    const Copies chosen = copies(range);
    std::vector<IntegrateResult> results(chosen.end - chosen.begin);
    kernels.controlled(chosen, t, t_end, options, results.data());
    return results;
  }
  std::vector<IntegrateResult> integrate(const EnsembleKernels<Field>& kernels, double t, double t_end,
                                         const IntegrateOptions& options = {}) {
    return integrate(kernels, t, t_end, options, Range());
  }

 private:
  void check(std::size_t copy) const {
    if (copy >= copies_) throw std::out_of_range("the ensemble has no copy " + std::to_string(copy));
  }
  std::size_t begin(int i) const { return static_cast<std::size_t>(i) * copies_; }
  Copies copies(const Range& range) {
    const std::size_t end = std::min(range.end, copies_);
    return {points_.data(), parameters_.data(), copies_, std::min(range.begin, end), end};
  }

  std::size_t copies_;
  std::vector<double> points_, parameters_;
};

}  // namespace torsor
