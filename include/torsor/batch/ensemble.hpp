#pragma once

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

/// Parameters that each copy of a field has of its own.
template <template <class> class Field>
inline constexpr int parameter_count = [] {
  if constexpr (requires { Field<double>::parameters; }) return int(Field<double>::parameters);
  return 0;
}();

/// Copies [begin, end) of an ensemble as its kernels see them: number i of copy k at [i * copies + k].
struct Copies {
  double* points;
  const double* parameters;
  std::size_t copies, begin, end;
};

/// What the code for one instruction set does with an ensemble by one method.
template <template <class> class Field>
struct EnsembleKernels {
  Isa isa;
  int lanes;
  void (*equal_steps)(const Copies& copies, double t, double h, long n);
  /// nullptr for methods without an estimate of the error.
  void (*controlled)(const Copies& copies, double t, double t_end, const IntegrateOptions& options,
                     IntegrateResult* results);
};

/// The kernels for one instruction set. They are defined in ensemble_kernels.hpp, and instantiated in a
/// source that `torsor_lanes` of the CMake package compiles once for each set.
template <template <class> class Field, template <class> class Method, Isa isa>
struct LaneKernels {
  static const EnsembleKernels<Field> table;
};

/// Those for an instruction set of this processor, by default the widest. Throws std::invalid_argument where
/// it has not that set.
template <template <class> class Field, template <class> class Method>
const EnsembleKernels<Field>& ensemble_kernels(Isa isa = best_isa()) {
  if (!is_available(isa))
    throw std::invalid_argument("instruction set " + std::string(to_string(isa)) + " is not available here");
#ifdef __x86_64__
  if (isa == Isa::avx512) return LaneKernels<Field, Method, Isa::avx512>::table;
  if (isa == Isa::avx2) return LaneKernels<Field, Method, Isa::avx2>::table;
#endif
  return LaneKernels<Field, Method, Isa::sse2>::table;
}

/// Many copies of one small system, each with its own state and parameters, of which a processor integrates
/// as many at once as its registers have lanes. What a copy does has the bits of `integrate` and
/// `integrate_steps` for it alone in doubles, whatever its neighbours, its number, the count of copies and
/// the instruction set.
///
/// `Field<Scalar>` is a LieField (field.hpp) for doubles and packs alike (no branch on a value: select). Its
/// points are stored as `Point::nq` numbers by `Point::from(numbers)` and `y.to(numbers)`, as groups and
/// Phase have them. A field with `static constexpr int parameters` is built from a std::array<Scalar,
/// parameters>, any other one by default.
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

  /// Whether a copy is still where numbers are.
  bool finite(std::size_t copy) const {
    check(copy);
    for (int i = 0; i < numbers; ++i)
      if (!std::isfinite(row(i)[copy])) return false;
    return true;
  }

  /// Some of the copies, [begin, end): threads share an ensemble by ranges that do not overlap.
  struct Range {
    std::size_t begin = 0, end = std::numeric_limits<std::size_t>::max();
  };

  /// n equal steps of each copy from t on, as `integrate_steps`.
  void steps(const EnsembleKernels<Field>& kernels, double t, double h, long n, Range range) {
    kernels.equal_steps(copies(range), t, h, n);
  }
  void steps(const EnsembleKernels<Field>& kernels, double t, double h, long n) {
    steps(kernels, t, h, n, Range());
  }

  /// Each copy from t to t_end with its own steps, as `integrate`: lanes that are done take the next copy at
  /// once. One result for each copy of the range.
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
