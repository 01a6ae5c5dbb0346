#include "array_kernels.hpp"

namespace torsor {

namespace {
struct Set;
}

const ArrayKernels avx512_kernels = PackKernels<Set>::table();

}  // namespace torsor
