#pragma once

#include <Eigen/Core>
#include <experimental/simd>

#include "torsor/lie/arrays.hpp"
#include "torsor/lie/detail/exp_log.hpp"
#include "torsor/lie/detail/trigonometry.hpp"

/// SIMD packs as scalars: as many copies of a small system as the processor has lanes. A lane has the bits of
/// the same computation in doubles, as long as contraction is off (-ffp-contract=off) on both sides.
///
/// Traps: pack[i] is a proxy, print lane(pack, i); Eigen's normalized, isApprox, decompositions and comma
/// initialisers do not work on packs; std::experimental's sin, cos and atan2 have other bits than ours.
namespace torsor {

namespace stdx = std::experimental;

/// Doubles in the lanes that the compiler's target has: 2 with SSE2, 4 with AVX, 8 with AVX-512.
using Pack = stdx::native_simd<double>;
/// The instruction set that this file is compiled for. Not inline: it differs between the files of one
/// program.
constexpr Isa compiled_isa = Pack::size() == 8 ? Isa::avx512 : Pack::size() == 4 ? Isa::avx2 : Isa::sse2;
/// Two packs as one scalar: while one waits for its last sum, the processor works on the other. More than
/// two would not fit in the registers.
using TwoPacks = stdx::fixed_size_simd<double, 2 * Pack::size()>;

template <class T, class Abi>
struct MaskOps<stdx::simd_mask<T, Abi>> {
  static bool every(const stdx::simd_mask<T, Abi>& mask) { return stdx::all_of(mask); }
  static bool some(const stdx::simd_mask<T, Abi>& mask) { return stdx::any_of(mask); }
};

template <class Abi>
struct BitPattern<stdx::simd<double, Abi>> {
  using type = stdx::rebind_simd_t<std::uint64_t, stdx::simd<double, Abi>>;
};

template <class T, class Abi>
struct ScalarOps<stdx::simd<T, Abi>> {
  using Self = stdx::simd<T, Abi>;
  using Real = T;
  static Self select(const typename Self::mask_type& mask, const Self& yes, const Self& no) {
    Self chosen = no;
    stdx::where(mask, chosen) = yes;
    return chosen;
  }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 on its own _mm512_sqrt_pd, GCC PR 105593
#endif
  static Self square_root(const Self& x) { return stdx::sqrt(x); }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  static Self absolute(const Self& x) { return stdx::abs(x); }
  static constexpr int lanes = static_cast<int>(Self::size());
  static T get(const Self& x, int i) { return T(x[static_cast<std::size_t>(i)]); }
  static void set(Self& x, int i, T value) { x[static_cast<std::size_t>(i)] = value; }
};

}  // namespace torsor

namespace Eigen {

/// Literal is the pack itself: with double, `h / 2 * v` would not compile.
template <class T, class Abi>
struct NumTraits<std::experimental::simd<T, Abi>> : GenericNumTraits<T> {
  using Self = std::experimental::simd<T, Abi>;
  using Real = Self;
  using NonInteger = Self;
  using Nested = Self;
  using Literal = Self;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
};

}  // namespace Eigen
