#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torsor {

/// A page of text, tables and diagrams, in light and dark and on paper. `body` is markup.
std::string page_of(std::string_view title, const std::string& body);

/// Rows of texts as a table. Where `headed`, the first is a heading and numbers stand to the right.
std::string html_table(const std::vector<std::vector<std::string>>& rows, bool headed);

std::string html_section(std::string_view heading, const std::string& body);
std::string html_figure(const std::string& svg, std::string_view caption);

}  // namespace torsor
