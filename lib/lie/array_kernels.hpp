#pragma once

#include "torsor/lie/arrays.hpp"

namespace torsor {

/// The kernels for one instruction set; array_kernels.cpp defines the table for the set that it is compiled
/// for.
template <Isa isa>
struct IsaKernels {
  static const ArrayKernels table;
};
template <>
const ArrayKernels IsaKernels<Isa::sse2>::table;
template <>
const ArrayKernels IsaKernels<Isa::avx2>::table;
template <>
const ArrayKernels IsaKernels<Isa::avx512>::table;

}  // namespace torsor
