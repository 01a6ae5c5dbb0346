#pragma once

#include <charconv>
#include <string>

namespace torsor::mechanics {

/// The shortest text that reads back as the same number.
inline std::string text(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

/// The number with three significant digits, for messages.
inline std::string brief(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::general, 3).ptr};
}

}  // namespace torsor::mechanics
