#pragma once

#include <string>
#include <vector>

#include "torsor/io/plot.hpp"

namespace torsor {

/// How line i of a diagram is drawn: its own style, else one by its place, which no other of 48 lines has.
LineStyle style_of(const PlotLine& line, std::size_t i);

/// Attributes of its stroke, and a mark about a point.
std::string stroke(const LineStyle& style);
std::string mark(double x, double y, const LineStyle& style);

/// The keys of lines in rows of a width, each label once; no rows for one line alone.
class Legend {
 public:
  Legend() = default;
  Legend(const std::vector<const Plot*>& plots, double left, double width);

  double height() const;
  /// Below the height y.
  std::string draw(double y) const;

 private:
  struct Key {
    std::string label;
    LineStyle style;
    bool points = false;
    double x = 0;
  };
  friend std::string html_legend(const std::vector<Plot>& plots);
  std::vector<std::vector<Key>> rows_;
};

namespace drawing {
constexpr double font = 13, line_height = 18;
/// Width of a text in this font, near enough to lay out a legend: letters of UTF-8 count once.
double width_of(std::string_view text);
std::string text_at(double x, double y, const char* anchor, std::string_view text,
                    std::string_view more = "");
}  // namespace drawing

}  // namespace torsor
