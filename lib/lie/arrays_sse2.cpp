#include "array_kernels.hpp"

namespace torsor {

namespace {
struct Set;
}

const ArrayKernels sse2_kernels = PackKernels<Set>::table();

}  // namespace torsor
