#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace torsor::detail {

/// Where each of several parts begins if they stand one after the other.
template <std::size_t count>
constexpr std::array<int, count> offsets(const std::array<int, count>& sizes) {
  std::array<int, count> begin{};
  for (std::size_t i = 1; i < count; ++i) begin[i] = begin[i - 1] + sizes[i - 1];
  return begin;
}

/// Calls f with each index below `count` as a constant.
template <std::size_t count, class F>
inline void for_each_index(const F& f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) { (f(std::integral_constant<std::size_t, k>()), ...); }
  (std::make_index_sequence<count>());
}

}  // namespace torsor::detail
