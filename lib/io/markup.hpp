#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torsor {

/// Text as it stands in HTML and SVG, between tags and in quoted attributes: its lines as plain_text.
std::string escaped(std::string_view text);

/// JSON as it stands in a <script> that is data: nothing in it ends the element.
std::string data_block(std::string_view json);

/// A page with its gaps, "@@NAME@@", each of which is there once, filled in.
std::string filled(std::string_view page, const std::vector<std::pair<std::string, std::string>>& gaps);

}  // namespace torsor
