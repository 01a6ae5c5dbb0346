#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor {

/// How a line is told from others: by its colour, its mark, its dashes and whether the mark is hollow, the
/// last three in grey print too. Eight colours (-1: grey), eight marks, six dashes (0: none), then again.
struct LineStyle {
  int color = 0, mark = 0, dash = 0;
  bool hollow = false;
};

/// A line, or points joined by one. What is not finite, or not positive on a logarithmic axis, leaves a gap.
struct PlotLine {
  std::string label;
  std::vector<double> x, y;
  bool points = false;                  ///< a mark at each
  std::optional<LineStyle> style = {};  ///< by its place among the lines where there is none
};

/// One diagram. Labels carry their units in brackets.
struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotLine> lines;
  bool log_x = false, log_y = false;
};

struct PlotOptions {
  double width = 720, height = 300;  ///< of one diagram, CSS pixels
  /// A legend above each diagram, one above the first for all (a label stands for the same line in each), or
  /// none.
  enum class Legend { each, once, none } legend = Legend::each;
};

/// Diagrams one above the other as one SVG for papers and pages: light background, fonts by name, legends
/// that never cover a line. Of more points than pixels the least and the greatest of each pixel are kept.
std::string to_svg(const std::vector<Plot>& plots, const PlotOptions& options = {});

/// Stands at the beginning of each of them.
constexpr const char* svg_mark = "<!-- Made by Torsor. -->";

/// One legend for the lines of several diagrams, each label once, as markup that flows.
std::string html_legend(const std::vector<Plot>& plots);

/// What of a result to plot.
struct PlotView {
  std::string title;                         ///< above all diagrams; empty: none
  std::optional<double> from = {}, to = {};  ///< s; absent: from the start, to the end
  bool logarithmic = false;                  ///< magnitudes, on a logarithmic axis
};

/// Columns of a result over time (`curves`), one diagram for each unit in the order of the names, or several
/// where more than twelve lines have the same. Throws ResultError, also where no sample lies in the window of
/// time.
std::vector<Plot> plots_of(const StoredResult& result, const std::vector<std::string>& columns,
                           const PlotView& view = {});

}  // namespace torsor
