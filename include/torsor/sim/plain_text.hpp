#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torsor {

/// Foreign text on one line, so that a terminal or a page shows it and nothing else happens: line breaks and
/// tabs become spaces; other control characters (terminals obey them), marks that change the direction of
/// writing, and bytes that are not UTF-8 become visible, as \u001B or \xFF.
std::string plain_text(std::string_view text);

/// Length of the UTF-8 sequence at `text[at]`, 0 where it is none (overlong forms and surrogates included).
std::size_t utf8_length(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

}  // namespace torsor
