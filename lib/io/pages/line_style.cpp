#include "line_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <unordered_set>

#include "markup.hpp"

namespace torsor::io {

using namespace drawing;

namespace {

constexpr std::array colors{"#1f5fbf", "#d9641e", "#1d8a5f", "#b03070",
                            "#7450c0", "#8a6d00", "#0f8a9d", "#7a4f3a"};
constexpr std::array dashes{"", "7 3", "2 3", "9 3 2 3", "14 4", "9 3 2 3 2 3"};
constexpr double sample = 26;  ///< width of the sample of a line in a legend, px

template <std::size_t N>
const char* chosen(const std::array<const char*, N>& list, int i) {
  return list[static_cast<std::size_t>(i) % N];
}
const char* color_of(const LineStyle& style) {
  return style.color < 0 ? "#666" : chosen(colors, style.color);
}

template <class Key>
std::string key_sample(double x, double y, const Key& key) {
  const std::string line =
      key.joined ? fmt::format("<path d=\"M{:.1f} {:.1f}h{}\" fill=\"none\" stroke-width=\"2\" {}/>\n", x, y,
                               sample - 4, stroke(key.style))
                 : "";
  return line + (key.points ? mark(x + (sample - 4) / 2, y, key.style) : "");
}

}  // namespace

double drawing::width_of(std::string_view text) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return 0.6 * font * static_cast<double>(letters);
}

std::string drawing::fitted(std::string_view text, double room) {
  const double width = width_of(text);
  return width > room ? fmt::format(" font-size=\"{:.1f}\"", font * room / width) : "";
}

std::vector<std::string> drawing::wrapped(std::string_view text, double room) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    std::string& line = lines.back();
    if (const std::string longer = fmt::format("{}{}{}", line, line.empty() ? "" : " ", word);
        line.empty() || width_of(longer) <= room)
      line = longer;
    else
      lines.emplace_back(word);
    begin = end + 1;
  }
  return lines;
}

std::string drawing::text_at(double x, double y, const char* anchor, std::string_view text,
                             std::string_view more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

LineStyle style_of(const PlotLine& line, std::size_t i) {
  const auto k = static_cast<int>(i);
  return line.style.value_or(LineStyle{k, k, k / 2 + k / 8, false});
}

std::string stroke(const LineStyle& style) {
  const char* dash = chosen(dashes, style.dash);
  return fmt::format("stroke=\"{}\"{}", color_of(style),
                     *dash ? fmt::format(" stroke-dasharray=\"{}\"", dash) : std::string());
}

std::string mark(double x, double y, const LineStyle& style, double larger, bool outlined) {
  struct Polygon {
    int corners;
    double first;  ///< direction of the first corner, in turns clockwise from the right
  };
  constexpr std::array<Polygon, 7> polygons{
      {{4, 0.125}, {3, 0.75}, {4, 0}, {3, 0.25}, {5, 0.75}, {3, 0}, {3, 0.5}}};
  const char* color = color_of(style);
  const std::string paint =
      style.hollow ? fmt::format("fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.4\"", color)
                   : fmt::format("fill=\"{}\" stroke=\"{}\"", color, outlined ? "#ffffff" : "none");
  const auto kind = static_cast<std::size_t>(style.mark) % (polygons.size() + 1);
  if (kind == 0)
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>\n", x, y, 3.2 + larger, paint);
  const auto [corners, first] = polygons[kind - 1];
  const double radius = (corners == 3 ? 4.6 : 4.1) + larger;
  std::string points;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * (first + static_cast<double>(i) / corners);
    points += fmt::format("{}{:.1f},{:.1f}", i > 0 ? " " : "", x + radius * std::cos(angle),
                          y + radius * std::sin(angle));
  }
  return fmt::format("<polygon points=\"{}\" {}/>\n", points, paint);
}

Legend::Legend(const std::vector<const Plot*>& plots, double left, double width) {
  std::vector<Key> keys;
  std::unordered_set<std::string_view> labels;
  for (const Plot* plot : plots)
    for (std::size_t i = 0; i < plot->lines.size(); ++i) {
      const PlotLine& line = plot->lines[i];
      if (labels.insert(line.label).second || plots.size() == 1)
        keys.push_back({line.label, style_of(line, i), line.points, line.joined});
    }
  if (keys.size() < 2) return;
  double widest = 0;
  for (const Key& key : keys) widest = std::max(widest, sample + width_of(key.label) + 12);
  const double columns = std::clamp(std::floor(width / widest), 1., static_cast<double>(keys.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto column = static_cast<double>(i % static_cast<std::size_t>(columns));
    if (column == 0) rows_.emplace_back();
    keys[i].x = left + column * width / columns;
    keys[i].room = width / columns - sample - 2;
    rows_.back().push_back(std::move(keys[i]));
  }
}

double Legend::height() const { return line_height * static_cast<double>(rows_.size()); }

std::string Legend::draw(double y) const {
  std::string svg;
  for (const auto& row : rows_) {
    y += line_height;
    for (const Key& key : row)
      svg += key_sample(key.x, y - 6, key) +
             text_at(key.x + sample + 2, y - 2, "start", key.label, fitted(key.label, key.room));
  }
  return svg;
}

std::string html_legend(const std::vector<Plot>& plots) {
  std::vector<const Plot*> all;
  all.reserve(plots.size());
  for (const Plot& plot : plots) all.push_back(&plot);
  const Legend legend(all, 0, 0);
  std::string html;
  for (const auto& row : legend.rows_)
    for (const Legend::Key& key : row)
      html += fmt::format("<span><svg width=\"{}\" height=\"14\" aria-hidden=\"true\">{}</svg>{}</span>\n",
                          sample, key_sample(2, 7, key), escaped(key.label));
  return html.empty() ? html : fmt::format("<p class=\"legend\">\n{}</p>\n", html);
}

}  // namespace torsor::io
