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

/// Maps of many elements at once, in packs. Component i of element k stands at [i * n + k]: rotation vectors
/// and angular velocities have 3 components, quaternions 4 (x y z w), twists 6 (linear part first), poses 7
/// (p, then the quaternion), as stored by SO3 and SE3, whose conventions hold. Outputs may be the inputs, and
/// must not overlap them otherwise. An element's bits do not depend on n, on its neighbours or on the
/// instruction set, and are those of SO3 and SE3 in doubles.
struct ArrayKernels {
  void (*so3_exp)(std::size_t n, const double* w, double* q);
  void (*so3_log)(std::size_t n, const double* q, double* w);
  void (*so3_dexp_inv)(std::size_t n, const double* w, const double* u, double* out);
  void (*se3_exp)(std::size_t n, const double* xi, double* g);
  void (*se3_log)(std::size_t n, const double* g, double* xi);
  void (*se3_dexp_inv)(std::size_t n, const double* xi, const double* eta, double* out);
};

/// The kernels of one set; by default the best, found once. Throws std::invalid_argument when it is not
/// available.
const ArrayKernels& array_kernels();
const ArrayKernels& array_kernels(Isa isa);

}  // namespace torsor
