#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torsor {

/// Untrusted text on one line, safe to show in a terminal or on a page. Carriage returns, line feeds and tabs
/// become spaces. Other control characters (terminals execute them), the separators U+2028 and U+2029, marks
/// that change the direction of writing, and bytes that are not UTF-8 become visible, as \u001B or \xFF.
std::string plain_text(std::string_view text);

/// Length of the UTF-8 sequence at `text[at]`, 0 where it is invalid (also for overlong forms and
/// surrogates).
std::size_t utf8_length(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

}  // namespace torsor
