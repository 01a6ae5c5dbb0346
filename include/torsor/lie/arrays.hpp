#pragma once

#include <cstddef>
#include <string_view>

namespace torsor {

/// Instruction sets that the array kernels are built for: SSE2 (2 lanes), AVX2 (4), AVX-512 (8).
enum class Isa { sse2, avx2, avx512 };
std::string_view to_string(Isa isa);

/// Whether this processor (and this build) can run the kernels of that set.
bool is_available(Isa isa);
/// The widest available set.
Isa best_isa();

/// Maps of n elements of a group at once, in packs. Component i of element k is at [i * n + k]. The
/// components are those of SO2, SO3, SE2 and SE3: a twist has its linear part first, a rotation of the plane
/// is (cos, sin), a rotation of space is the quaternion x y z w, and a pose is p followed by its rotation. An
/// output may be an input of the same size; otherwise it must not overlap an input. The bits of an element do
/// not depend on n, on its neighbours or on the instruction set, and are those of the group in doubles.
struct GroupKernels {
  using Map = void(std::size_t n, const double* in, double* out);
  using Map2 = void(std::size_t n, const double* a, const double* b, double* out);
  Map *exp, *log;         ///< of twists, of elements
  Map2 *dexp, *dexp_inv;  ///< at the twist a, of the twist b
  Map2 *compose, *act;    ///< a b of elements; a b of an element and a point
};

struct ArrayKernels {
  GroupKernels so2, so3, se2, se3;
};

/// The kernels of one set; by default the best, found once. Throws std::invalid_argument if the set is not
/// available.
const ArrayKernels& array_kernels();
const ArrayKernels& array_kernels(Isa isa);

}  // namespace torsor
