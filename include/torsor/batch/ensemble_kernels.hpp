#pragma once

#include "torsor/batch/detail/controlled_lanes.hpp"
#include "torsor/batch/ensemble.hpp"

/// The kernels of ensembles, for the instruction set that the including source is compiled for:
///
///   #include "my_field.hpp"
///   #include "torsor/batch/ensemble_kernels.hpp"
///   template struct torsor::LaneKernels<MyField, torsor::Rkmk4, torsor::compiled_isa>;
///
/// and in CMake `torsor_lanes(my_program my_kernels.cpp)`, which compiles the source for every set and keeps
/// its functions private to each object. Without torsor_lanes the linker would silently keep one function of
/// each name for all processors. torsor_lanes rejects a static object whose initialiser runs before main.
namespace torsor {

template <template <class> class Field, template <class> class Method>
class EqualSteps {
 public:
  static void run(const Copies& copies, double t, double h, long n) {
    std::size_t k = copies.begin;
    for (; k + width<TwoPacks> <= copies.end; k += width<TwoPacks>) steps<TwoPacks>(copies, k, t, h, n);
    for (; k < copies.end; k += width<Pack>) steps<Pack>(copies, k, t, h, n);
  }

 private:
  template <class Scalar>
  static constexpr std::size_t width = LaneRows<Field<Scalar>>::width;

  /// Takes all steps of the copies from k on before the steps of the next copies, so that their states stay
  /// in the first-level cache. Flattened, because a stage that is not inlined passes its numbers through
  /// memory.
  template <class Scalar>
  [[gnu::flatten]] static void steps(const Copies& copies, std::size_t k, double t, double h, long n) {
    using F = Field<Scalar>;
    using Row = LaneRows<F>;
    const F field = Row::field(copies, k);
    typename F::Point y = Row::point(copies, k);
    typename F::Tangent slope;
    Method<F> method;
    const Scalar start(t), step(h);
    field.rate(start, y, slope);
    for (long i = 0; i < n; ++i) {
      typename F::Point y_next;  // if declared before the loop, g++ 12 copies it in half registers
      method.step(field, y, slope, start + Scalar(static_cast<double>(i)) * step, step, y_next);
      y = y_next;
      if constexpr (Method<F>::first_same_as_last)
        slope = method.last_slope();
      else
        field.rate(start + Scalar(static_cast<double>(i + 1)) * step, y, slope);
    }
    Row::store(y, copies, k);
  }
};

template <template <class> class Field, template <class> class Method, Isa isa>
constinit const EnsembleKernels<Field> LaneKernels<Field, Method, isa>::table = [] {
  static_assert(isa == compiled_isa, "these kernels are compiled for another instruction set");
  EnsembleKernels<Field> kernels{isa, lanes<Pack>, &EqualSteps<Field, Method>::run, nullptr};
  if constexpr (Method<Field<Pack>>::embedded_order > 0)
    kernels.controlled = &ControlledLanes<Field, Method>::run;
  return kernels;
}();

}  // namespace torsor
