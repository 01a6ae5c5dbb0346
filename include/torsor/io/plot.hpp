#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor {

/// A line, or points joined by one. What is not finite, or not positive on a logarithmic axis, leaves a gap.
struct PlotLine {
  std::string label;
  std::vector<double> x, y;
  bool points = false;  ///< a mark at each
};

/// One diagram. Labels carry their units in brackets.
struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotLine> lines;
  bool log_x = false, log_y = false;
};

struct PlotOptions {
  double width = 720, height = 300;  ///< of one diagram, CSS pixels
};

/// Diagrams one above the other as one SVG for papers and pages: light background, fonts by name, a legend
/// above each diagram that never covers a line, lines told apart by colour and dashes. Of more points than
/// pixels the least and the greatest of each pixel are kept.
std::string to_svg(const std::vector<Plot>& plots, const PlotOptions& options = {});

/// Columns of a result over time, one diagram for each unit, in the order of the names (`curves`). Throws
/// ResultError.
std::vector<Plot> plots_of(const StoredResult& result, const std::vector<std::string>& columns);

}  // namespace torsor
