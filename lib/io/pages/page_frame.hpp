#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torsor::io {

/// An HTML page of text, tables and diagrams, with styles for light, dark and print. `body` is markup.
std::string page_of(std::string_view title, const std::string& body);

/// Rows of texts as a table. If `headed`, the first row is the heading, and numbers are aligned to the right.
std::string html_table(const std::vector<std::vector<std::string>>& rows, bool headed);

std::string html_section(std::string_view heading, const std::string& body);
std::string html_figure(const std::string& svg, std::string_view caption);

}  // namespace torsor::io
