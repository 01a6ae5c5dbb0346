#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor::io {

/// The style that distinguishes a line from others: its colour, its mark, its dashes and whether the mark
/// is hollow. The last three are visible in grey print too. There are eight colours (-1: grey), eight marks
/// and six dashes (0: none); greater numbers repeat them.
struct LineStyle {
  int color = 0, mark = 0, dash = 0;
  bool hollow = false;
};

/// A line, a line with a mark at each point, or marks only. Values that are not finite, or not positive on a
/// logarithmic axis, leave a gap.
struct PlotLine {
  std::string label;
  std::vector<double> x, y;
  bool points = false;                  ///< draws a mark at each point
  std::optional<LineStyle> style = {};  ///< none: by the index of the line
  bool joined = true;                   ///< false: only the marks
};

/// One diagram. Labels carry their units in brackets.
struct Plot {
  std::string title, x_label, y_label;
  std::vector<PlotLine> lines;
  bool log_x = false, log_y = false;
};

struct PlotOptions {
  double width = 720, height = 300;  ///< of one diagram, CSS pixels
  /// A legend above each diagram; or one legend for all, above the first (a label then means the same line
  /// in each diagram); or none.
  enum class Legend { each, once, none } legend = Legend::each;
};

/// Diagrams, one above the other, as one SVG for papers and pages: light background, fonts by name, legends
/// that never cover a line. Of successive points that are closer than half a pixel, in x alone if x never
/// falls along the line, a line keeps the first, the least, the greatest and the last.
std::string to_svg(const std::vector<Plot>& plots, const PlotOptions& options = {});

/// Comment at the beginning of each such SVG.
constexpr const char* svg_mark = "<!-- Made by Torsor. -->";

/// One legend for the lines of several diagrams, with each label once, as HTML that wraps into lines.
std::string html_legend(const std::vector<Plot>& plots);

/// The label of an axis with its unit in brackets. `magnitude`: of the absolute value.
std::string axis_label(const std::string& name, std::string unit, bool magnitude);

/// The part of a result to plot, and how.
struct PlotView {
  std::string title;                         ///< above all diagrams; empty: none
  std::optional<double> from = {}, to = {};  ///< window of time, s; absent: from the start, to the end
  bool logarithmic = false;                  ///< plots magnitudes on a logarithmic axis
  /// Column of the horizontal axis; empty: the time. A * stands for the text at this place in the name of the
  /// drawn column: "body.*.x" is "body.top.x" for "body.top.y".
  std::string over = {};
};

/// Columns of a result over the time or over another column, such as a path or a phase portrait (`curves`):
/// one diagram for each unit, in the order of the names, or several if more than twelve lines have the same
/// unit. Throws ResultError, also if no sample lies in the window of time.
std::vector<Plot> plots_of(const StoredResult& result, const std::vector<std::string>& columns,
                           const PlotView& view = {});
/// The same for a table whose first column is the time.
std::vector<Plot> plots_of(const std::vector<Series>& table, const std::vector<std::string>& columns,
                           const PlotView& view = {});

struct ReplayOptions {
  std::vector<std::string> columns;  ///< to plot besides drift and residuals; "*" as in `curves`
};

/// Text at the beginning of every such page.
constexpr const char* replay_mark = "<!-- Made by torsor view.";

/// A page, with the numbers of samples of the result and of frames on the page.
struct Replay {
  std::string html;
  std::size_t samples = 0, frames = 0;
};

/// The motion of a result as one HTML page that needs no network and no other file: the bodies in space with
/// joints, traces and screw axes, and plots below them (docs/viewing.md). Names and titles are data on the
/// page, never markup. A long run is thinned out to at most 3601 frames and about 12 MB, and the page says
/// so; for drift and residuals, a frame has the greatest value since the previous frame. A scene in
/// coordinates has its particles in space, and plots only if it has none. Throws ResultError for columns that
/// the result does not have, and std::invalid_argument for a result without samples.
Replay replay_page(const StoredResult& result, const ReplayOptions& options = {});

/// Text at the beginning of every page without scripts that Torsor makes.
constexpr const char* page_mark = "<meta name=\"generator\" content=\"Torsor\">";

/// A result as one page for print: first warnings, then the settings of the run, the summary, plots of
/// energies, drift, residuals and momenta, the final state, and the scene. HTML without scripts, in one file.
/// Texts of the scene are data, never markup. Throws std::invalid_argument for a result without samples.
std::string report_page(const StoredResult& result);

/// Warnings that a reader needs before the numbers: an early end, constraints that are not satisfied,
/// energy drift, fallbacks to the general solver, notes of the run. Empty for a good run.
std::vector<std::string> warnings_of(const StoredResult& result);

}  // namespace torsor::io
