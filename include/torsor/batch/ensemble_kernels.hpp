#pragma once

#include <array>
#include <utility>

#include "torsor/batch/ensemble.hpp"
#include "torsor/batch/ensemble_lanes.hpp"

/// The kernels of ensembles, for the instruction set that the including source is compiled for:
///
///   #include "my_field.hpp"
///   #include "torsor/batch/ensemble_kernels.hpp"
///   template struct torsor::LaneKernels<MyField, torsor::Rkmk4, torsor::compiled_isa>;
///
/// and in CMake, which compiles it for every set, `torsor_lanes(my_program my_kernels.cpp)`. Functions that
/// such sources share by name with others are named apart there; without it the linker would keep one of
/// them, in silence, for all processors.
namespace torsor {

// Not inline: it differs between the files of one program.
constexpr Isa compiled_isa = lanes<Pack> == 8 ? Isa::avx512 : lanes<Pack> == 4 ? Isa::avx2 : Isa::sse2;

template <template <class> class Field, template <class> class Method>
class EqualSteps {
 public:
  static void run(const Copies& copies, double t, double h, long n) {
    std::size_t k = copies.begin;
    for (; k + in_flight * width <= copies.end; k += in_flight * width) packs<in_flight>(copies, k, t, h, n);
    for (; k < copies.end; k += width) packs<1>(copies, k, t, h, n);
  }

 private:
  using F = Field<Pack>;
  using Row = LaneRows<F>;
  static constexpr std::size_t width = Row::width;
  /// While one pack waits for its own last sum, the processor works on the other; more do not help.
  static constexpr std::size_t in_flight = 2;

  struct OnePack {
    F field;
    typename F::Point y, y_next;
    typename F::Tangent slope;
  };

  /// The packs from copy k on, all steps before the next ones: states stay in the first cache. Flattened: a
  /// stage that is called sends its numbers through memory.
  template <std::size_t count>
  [[gnu::flatten]] static void packs(const Copies& copies, std::size_t k, double t, double h, long n) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      OnePack all[]{OnePack{Row::field(copies, k + I * width), Row::point(copies, k + I * width), {}, {}}...};
      Method<F> method;
      const Pack start(t), step(h);
      (all[I].field.rate(start, all[I].y, all[I].slope), ...);
      for (long i = 0; i < n; ++i) {
        const Pack now = start + Pack(static_cast<double>(i)) * step;
        const Pack next = start + Pack(static_cast<double>(i + 1)) * step;
        (advance(method, all[I], now, step, next), ...);
      }
      (Row::store(all[I].y, copies, k + I * width), ...);
    }
    (std::make_index_sequence<count>{});
  }

  static void advance(Method<F>& method, OnePack& one, const Pack& now, const Pack& step, const Pack& next) {
    method.step(one.field, one.y, one.slope, now, step, one.y_next);
    one.y = one.y_next;
    if constexpr (Method<F>::first_same_as_last)
      one.slope = method.last_slope();
    else
      one.field.rate(next, one.y, one.slope);
  }
};

template <template <class> class Field, template <class> class Method, Isa isa>
const EnsembleKernels<Field> LaneKernels<Field, Method, isa>::table = [] {
  static_assert(isa == compiled_isa, "these kernels are compiled for another instruction set");
  EnsembleKernels<Field> kernels{isa, lanes<Pack>, &EqualSteps<Field, Method>::run, nullptr};
  if constexpr (Method<Field<Pack>>::embedded_order > 0)
    kernels.controlled = &ControlledLanes<Field, Method>::run;
  return kernels;
}();

}  // namespace torsor
