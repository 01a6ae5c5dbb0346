#include "torsor/lie/arrays.hpp"

#include <stdexcept>
#include <string>

#include "array_kernels.hpp"

namespace torsor {

namespace {

const ArrayKernels* kernels_of(Isa isa) {
#ifdef __x86_64__
  switch (isa) {
    case Isa::avx512:
      return &IsaKernels<Isa::avx512>::table;
    case Isa::avx2:
      return &IsaKernels<Isa::avx2>::table;
    case Isa::sse2:
      break;
  }
#endif
  return isa == Isa::sse2 ? &IsaKernels<Isa::sse2>::table : nullptr;
}

}  // namespace

std::string_view to_string(Isa isa) {
  switch (isa) {
    case Isa::sse2:
      return "sse2";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "unknown";
}

bool is_available(Isa isa) {
  if (!kernels_of(isa)) return false;
#ifdef __x86_64__
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx512) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return true;
}

Isa best_isa() {
  static const Isa best = is_available(Isa::avx512) ? Isa::avx512
                          : is_available(Isa::avx2) ? Isa::avx2
                                                    : Isa::sse2;
  return best;
}

const ArrayKernels& array_kernels() {
  static const ArrayKernels& best = array_kernels(best_isa());
  return best;
}

const ArrayKernels& array_kernels(Isa isa) {
  if (!is_available(isa)) {
    throw std::invalid_argument("instruction set " + std::string(to_string(isa)) + " is not available here");
  }
  return *kernels_of(isa);
}

}  // namespace torsor
