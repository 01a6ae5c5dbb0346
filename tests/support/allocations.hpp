#pragma once

#include <cstdlib>

#include "support/sanitized.hpp"

// glibc lets a program replace malloc, which operator new and Eigen both call. A sanitizer replaces malloc
// itself. Only one file of a program may include this header.
namespace torsor::test {

/// Number of calls of malloc so far.
inline long allocations = 0;

#if defined(__GLIBC__) && !defined(TORSOR_SANITIZED)
inline constexpr bool counts_allocations = true;
#else
inline constexpr bool counts_allocations = false;
#endif

}  // namespace torsor::test

#if defined(__GLIBC__) && !defined(TORSOR_SANITIZED)
extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* malloc(std::size_t size) noexcept {
  ++torsor::test::allocations;
  return __libc_malloc(size);
}
}
#endif
