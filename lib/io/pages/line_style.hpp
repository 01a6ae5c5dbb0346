#pragma once

#include <string>
#include <vector>

#include "torsor/io/pages.hpp"

namespace torsor::io {

/// The style of line i of a diagram: its own style if it has one, else a style that depends on i only. The
/// styles of 48 consecutive indices differ.
LineStyle style_of(const PlotLine& line, std::size_t i);

/// SVG attributes of a stroke in a style, and an SVG mark centred on a point. `larger` is added to the radius
/// of the mark (px). `outlined`: with a white outline, which separates it from a mark below it.
std::string stroke(const LineStyle& style);
std::string mark(double x, double y, const LineStyle& style, double larger = 0, bool outlined = false);

/// The legend of diagrams: the keys of their lines, in rows that fit a width. If there are several diagrams,
/// each label is listed once. A single line gets no legend.
class Legend {
 public:
  Legend() = default;
  Legend(const std::vector<const Plot*>& plots, double left, double width);

  double height() const;
  /// The SVG of the legend, below the height y.
  std::string draw(double y) const;

 private:
  struct Key {
    std::string label;
    LineStyle style;
    bool points = false, joined = true;
    double x = 0, room = 0;
  };
  friend std::string html_legend(const std::vector<Plot>& plots);
  std::vector<std::vector<Key>> rows_;
};

namespace drawing {
constexpr double font = 13, line_height = 18;
/// Approximate width of a text in this font, for the layout of a diagram. A UTF-8 character counts as one
/// letter.
double width_of(std::string_view text);
/// The SVG attribute of a smaller font, with which the text is at most `room` px wide; empty if none is
/// needed.
std::string fitted(std::string_view text, double room);
/// The text in lines that are at most `room` px wide, broken at spaces only.
std::vector<std::string> wrapped(std::string_view text, double room);
std::string text_at(double x, double y, const char* anchor, std::string_view text,
                    std::string_view more = "");
}  // namespace drawing

}  // namespace torsor::io
