#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torsor::io {

/// Text escaped for HTML and SVG, between tags and in quoted attributes. Each line goes through plain_text.
std::string escaped(std::string_view text);

/// JSON escaped for a <script> that holds data, so that nothing in it ends the element.
std::string data_block(std::string_view json);

/// Replaces the gaps "@@NAME@@" of a page by texts. `gaps` lists names and texts in the order of the page,
/// each gap once.
std::string filled(std::string_view page, const std::vector<std::pair<std::string, std::string>>& gaps);

}  // namespace torsor::io
