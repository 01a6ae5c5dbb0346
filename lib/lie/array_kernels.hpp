#pragma once

#include "torsor/lie/arrays.hpp"

namespace torsor {

/// The kernels for one instruction set; array_kernels.cpp defines the table for the set that it is compiled
/// for.
template <Isa isa>
struct IsaKernels {
  static const ArrayKernels table;
};

}  // namespace torsor
