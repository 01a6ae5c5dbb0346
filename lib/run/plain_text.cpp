#include "plain_text.hpp"

#include <cstdio>

namespace torsor {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

/// The code point of the UTF-8 sequence of `length` bytes at `at`.
unsigned code_point(std::string_view text, std::size_t at, std::size_t length) {
  unsigned code = byte_at(text, at);
  if (length > 1) code &= 0xFFu >> (length + 1);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte_at(text, at + i) & 0x3Fu);
  return code;
}

/// Control characters (C0, DEL, C1), the bidirectional formatting characters (Unicode Standard Annex 9) and
/// the separators of lines and paragraphs.
bool is_harmful(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return byte_at(text, at + i); };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0, surrogate = lead == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90, beyond = lead == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0, length = 0; at < text.size(); at += length)
    if ((length = utf8_length(text, at)) == 0) return false;
  return true;
}

std::string plain_text(std::string_view text) {
  std::string out;
  char visible[16];
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const unsigned code = code_point(text, at, length);
    if (length == 0) {
      std::snprintf(visible, sizeof visible, "\\x%02X", byte_at(text, at));
      out += visible;
    } else if (code == '\n' || code == '\r' || code == '\t') {
      out += ' ';
    } else if (is_harmful(code)) {
      std::snprintf(visible, sizeof visible, "\\u%04X", code);
      out += visible;
    } else {
      out += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace torsor
