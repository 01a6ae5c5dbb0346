#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace torsor::io {

/// Encodes the bytes of the numbers (little-endian) in base64, RFC 4648.
template <class Number>
std::string base64(const std::vector<Number>& numbers) {
  static_assert(std::endian::native == std::endian::little);
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes(numbers.size() * sizeof(Number));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const std::uint32_t three = std::uint32_t(bytes[i]) << 16 |
                                (left > 1 ? std::uint32_t(bytes[i + 1]) << 8 : 0) |
                                (left > 2 ? bytes[i + 2] : 0);
    text += digits[three >> 18];
    text += digits[three >> 12 & 63];
    text += left > 1 ? digits[three >> 6 & 63] : '=';
    text += left > 2 ? digits[three & 63] : '=';
  }
  return text;
}

}  // namespace torsor::io
