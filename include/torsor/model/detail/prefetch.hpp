#pragma once

#include <cstddef>
#include <vector>

namespace torsor::detail {

/// How many links a pass asks for ahead of the one it works on. Long trees do not fit the caches, and the
/// processor's own prefetching stops at each page; asking early hides a third of the time of a pass over 100
/// 000 links.
inline constexpr int links_ahead = 12;

/// Asks for the cache lines of the entry at index, if the array has it.
template <class T>
void prefetch(const std::vector<T>& entries, std::ptrdiff_t index, std::size_t count = 1) {
  if (index < 0 || index >= static_cast<std::ptrdiff_t>(entries.size())) return;
  const char* const begin = reinterpret_cast<const char*>(&entries[index]);
  for (std::size_t offset = 0; offset < count * sizeof(T); offset += 64) __builtin_prefetch(begin + offset);
}

}  // namespace torsor::detail
