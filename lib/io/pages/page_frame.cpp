#include "page_frame.hpp"

#include <fmt/format.h>

#include <charconv>

#include "markup.hpp"

namespace torsor::io {
namespace {

constexpr const char* style = R"css(
:root { color-scheme: light dark; --back: #fff; --ink: #1c2430; --soft: #566070; --line: #d5dbe2; --warn: #a8320a; --warn-back: #fdeee6; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181e; --ink: #e8edf3; --soft: #a3afbd; --line: #333d49; --warn: #ffb08a; --warn-back: #3a2016; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--back); color: var(--ink);
  font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; border-bottom: 1px solid var(--line); }
p.soft { color: var(--soft); margin: .2rem 0; }
ul.warnings { margin: .8rem 0; padding: .5rem .8rem .5rem 1.8rem; color: var(--warn); background: var(--warn-back); border-radius: 5px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; overflow-wrap: normal; }
td, th { padding: .15rem .9rem .15rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td.number { text-align: right; white-space: nowrap; }
th.number { text-align: right; }
figure { margin: .6rem 0 1rem; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; border-radius: 5px; }
p.legend { position: sticky; top: 0; margin: 0; padding: .4rem .6rem; background: #fff; color: #1c2430; border-radius: 5px;
  display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; font-size: .85rem; }
p.legend svg { margin-right: .3rem; vertical-align: -2px; }
figcaption { color: var(--soft); font-size: .88rem; }
pre { overflow-x: auto; font-size: .8rem; line-height: 1.3; border: 1px solid var(--line); border-radius: 5px; padding: .6rem; }
@media (max-width: 699px) {
  p.legend { position: static; }
  figure { overflow-x: auto; }
  figure svg { max-width: none; width: 600px; }
}
@media print {
  body { font-size: 10pt; max-width: none; padding: 0; }
  details { display: none; }
  section:has(> details) { display: none; }
  p.legend { position: static; }
  h2 { break-after: avoid; }
  .wide { overflow: visible; }
  table { font-size: 8pt; }
  td, th { padding-right: .5rem; }
})css";

bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && *end == '\0';
}

}  // namespace

std::string page_of(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" "
      "content=\"Torsor\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>{}\n</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      escaped(title), style, body);
}

std::string html_table(const std::vector<std::vector<std::string>>& rows, bool headed) {
  std::string html = "<div class=\"wide\"><table>\n";
  for (const auto& row : rows) {
    const bool head = headed && &row == &rows.front();
    html += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k) {
      const char* tag = head ? "th" : "td";
      const auto& like = head && rows.size() > 1 ? rows[1] : row;  // a heading is aligned as its numbers
      const bool number = headed && k < like.size() && is_number(like[k]);
      html += fmt::format("<{}{}>{}</{}>", tag, number ? " class=\"number\"" : "", escaped(row[k]), tag);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string html_section(std::string_view heading, const std::string& body) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escaped(heading), body);
}

std::string html_figure(const std::string& svg, std::string_view caption) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", svg, escaped(caption));
}

}  // namespace torsor::io
