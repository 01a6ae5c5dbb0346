#include "torsor/io/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "markup.hpp"
#include "ticks.hpp"

namespace torsor {
namespace {

constexpr std::array colors{"#1f5fbf", "#d9641e", "#1d8a5f", "#b03070",
                            "#7450c0", "#8a6d00", "#0f8a9d", "#7a4f3a"};
constexpr std::array dashes{"", "7 3", "2 3", "9 3 2 3"};
constexpr double font = 13, left = 78, right = 18, bottom = 46, line_height = 18, sample = 26;

/// Width of a text in this font, near enough to lay out a legend: letters of UTF-8 count once.
double width_of(std::string_view text) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return 0.6 * font * static_cast<double>(letters);
}

std::string text_at(double x, double y, const char* anchor, std::string_view text,
                    std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

/// A label with the power of ten that the numbers of its axis leave out: "drift (10⁻⁹ J)".
std::string with_power(const std::string& label, int exponent) {
  if (exponent == 0) return label;
  const auto open = label.rfind('(');
  const std::string power = power_of_ten(exponent);
  if (open == std::string::npos) return fmt::format("{} ({})", label, power);
  return fmt::format("{}({} {}", label.substr(0, open), power, label.substr(open + 1));
}

/// Draws one diagram into a rectangle.
class Drawing {
 public:
  Drawing(const Plot& plot, const PlotOptions& options, double top)
      : plot_(plot), options_(options), top_(top) {
    std::vector<const std::vector<double>*> xs, ys;
    for (const PlotLine& line : plot.lines) xs.push_back(&line.x), ys.push_back(&line.y);
    x_ = make_axis(xs, plot.log_x, 8, false);
    y_ = make_axis(ys, plot.log_y, 6, true);
    place_legend();
    begin_ = top_ + head();
    end_ = begin_ + options.height - bottom;
  }

  double height() const { return head() + options_.height; }

  std::string draw() const {
    std::string svg;
    if (!plot_.title.empty())
      svg += text_at(left, top_ + line_height, "start", plot_.title, " font-weight=\"bold\"");
    svg += axes();
    svg += "<g fill=\"none\" stroke-width=\"1.5\" stroke-linejoin=\"round\">\n";
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) svg += curve(i);
    return svg + "</g>\n" + legend();
  }

 private:
  double head() const {
    return (plot_.title.empty() ? 8 : 8 + line_height) + line_height * static_cast<double>(rows_.size());
  }
  double px(double value) const { return left + x_.place(value) * (options_.width - left - right); }
  double py(double value) const { return end_ - y_.place(value) * (end_ - begin_); }
  static std::string style(std::size_t i) {
    const char* dash = dashes[i / 2 % dashes.size()];
    return fmt::format("stroke=\"{}\"{}", colors[i % colors.size()],
                       *dash ? fmt::format(" stroke-dasharray=\"{}\"", dash) : std::string());
  }

  /// Rows of the legend, as places of lines.
  void place_legend() {
    if (plot_.lines.size() < 2) return;
    double used = 0;
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) {
      const double width = sample + width_of(plot_.lines[i].label) + 22;
      if (rows_.empty() || used + width > options_.width - left - right) rows_.emplace_back(), used = 0;
      rows_.back().push_back({i, left + used});
      used += width;
    }
  }

  std::string legend() const {
    std::string svg;
    double y = top_ + (plot_.title.empty() ? 0 : line_height) + line_height - 2;
    for (const auto& row : rows_) {
      for (const auto& [i, x] : row) {
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}h{}\" fill=\"none\" stroke-width=\"2\" {}/>\n", x, y - 4,
                           sample - 4, style(i));
        if (plot_.lines[i].points) svg += mark(x + (sample - 4) / 2, y - 4, i);
        svg += text_at(x + sample + 2, y, "start", plot_.lines[i].label);
      }
      y += line_height;
    }
    return svg;
  }

  std::string axes() const {
    const double width = options_.width - right;
    std::string grid, texts;
    for (const Axis::Tick& tick : y_.ticks) {
      grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", left, py(tick.at), width);
      texts += text_at(left - 7, py(tick.at) + 4.5, "end", tick.text);
    }
    double free = 0;  // texts of ticks along x may not touch
    for (const Axis::Tick& tick : x_.ticks) {
      const double x = px(tick.at), half = width_of(tick.text) / 2;
      grid += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, begin_, end_);
      if (x - half < free || tick.text.empty()) continue;
      texts += text_at(x, end_ + line_height - 1, "middle", tick.text);
      free = x + half + 6;
    }
    std::string svg = fmt::format("<path d=\"{}\" stroke=\"#d9dde2\" fill=\"none\"/>\n", grid);
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
        "stroke=\"#444\"/>\n",
        left, begin_, width - left, end_ - begin_);
    svg += texts + text_at((left + width) / 2, end_ + 2 * line_height, "middle",
                           with_power(plot_.x_label, x_.exponent));
    const double middle = (begin_ + end_) / 2;
    return svg + text_at(18, middle, "middle", with_power(plot_.y_label, y_.exponent),
                         fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", middle));
  }

  std::string mark(double x, double y, std::size_t i) const {
    const char* color = colors[i % colors.size()];
    if (i % 2 == 0)
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\" fill=\"{}\"/>\n", x, y, color);
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" height=\"6\" fill=\"{}\"/>\n", x - 3,
                       y - 3, color);
  }

  /// The line as a path: of all points of one pixel the first, the least, the greatest and the last.
  std::string curve(std::size_t i) const {
    const PlotLine& line = plot_.lines[i];
    std::string path, marks;
    bool pen = false;
    const auto put = [&](double x, double y) {
      path += fmt::format("{}{:.1f} {:.1f}", pen ? 'L' : 'M', x, y);
      pen = true;
    };
    const std::size_t count = std::min(line.x.size(), line.y.size());
    for (std::size_t k = 0; k < count;) {
      const double x = px(line.x[k]), y = py(line.y[k]);
      if (!std::isfinite(x) || !std::isfinite(y)) {
        pen = false, ++k;
        continue;
      }
      if (line.points) marks += mark(x, y, i);
      double least = y, most = y, last = y;
      std::size_t next = k + 1;
      for (; !line.points && next < count; ++next) {
        const double further = py(line.y[next]);
        if (!(std::abs(px(line.x[next]) - x) < 0.5) || !std::isfinite(further)) break;
        least = std::min(least, further), most = std::max(most, further), last = further;
      }
      put(x, y);
      if (next > k + 2) put(x, least), put(x, most);
      if (next > k + 1) put(x, last);
      k = next;
    }
    return path.empty() ? marks : fmt::format("<path d=\"{}\" {}/>\n{}", path, style(i), marks);
  }

  const Plot& plot_;
  const PlotOptions& options_;
  double top_, begin_ = 0, end_ = 0;
  Axis x_, y_;
  std::vector<std::vector<std::pair<std::size_t, double>>> rows_;
};

}  // namespace

std::string to_svg(const std::vector<Plot>& plots, const PlotOptions& options) {
  std::string body;
  double top = 0;
  for (const Plot& plot : plots) {
    const Drawing drawing(plot, options, top);
    body += drawing.draw();
    top += drawing.height() + 6;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
             "{0:.0f} "
             "{1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"{2}\" "
             "fill=\"#1c2430\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             options.width, top, font) +
         body + "</svg>\n";
}

std::vector<Plot> plots_of(const StoredResult& result, const std::vector<std::string>& columns) {
  const std::vector<double> t = sample_times(result);
  std::vector<Plot> plots;
  std::vector<std::string> units;
  for (Series& one : curves(result, columns)) {
    const auto found = std::find(units.begin(), units.end(), one.unit);
    const auto place = static_cast<std::size_t>(found - units.begin());
    if (place == units.size()) {
      units.push_back(one.unit);
      plots.push_back(
          {"", "t (s)", one.unit.empty() ? one.name : fmt::format("{} ({})", one.name, one.unit), {}});
    }
    Plot& plot = plots[place];
    if (!plot.lines.empty()) plot.y_label = one.unit.empty() ? "" : fmt::format("({})", one.unit);
    plot.lines.push_back({one.name, t, std::move(one.values)});
  }
  return plots;
}

}  // namespace torsor
