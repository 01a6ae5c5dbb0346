#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "line_style.hpp"
#include "ticks.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::io {

using namespace drawing;

namespace {

constexpr double left = 78, right = 18, bottom = 46, stroke_width = 1.5;  // px

/// The label of an axis for the numbers at its ticks, with the value that was subtracted from them and the
/// power of ten by which they were divided: "drift (10⁻⁹ J)", "t − 1000000 s (s)".
std::string label_of(const Axis& axis, const std::string& label) {
  if (axis.exponent == 0 && axis.offset == 0) return label;
  const auto open = label.ends_with(')') ? label.rfind(" (") : std::string::npos;
  const bool bare = open == std::string::npos;
  const std::string name = label.substr(0, open),
                    unit = bare ? "" : " " + label.substr(open + 2, label.size() - open - 3);
  std::string text = name;
  if (axis.offset != 0)
    text += fmt::format(" {} {:.15g}{}", axis.offset > 0 ? "−" : "+", std::abs(axis.offset), unit);
  if (axis.exponent != 0) return fmt::format("{} ({}{})", text, power_of_ten(axis.exponent), unit);
  return bare ? text : fmt::format("{} ({})", text, unit.substr(1));
}

struct Pixel {
  double x, y;
  bool shown() const { return std::isfinite(x) && std::isfinite(y); }
};
using Pixels = std::vector<Pixel>;

/// Whether at least half of the points of a curve lie within a pixel of the points of another.
bool coincide(const Pixels& one, const Pixels& other) {
  std::size_t shown = 0, shared = 0;
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (!one[k].shown()) continue;
    ++shown;
    shared += k < other.size() && std::abs(one[k].x - other[k].x) < 1 && std::abs(one[k].y - other[k].y) < 1;
  }
  return shared > 0 && 2 * shared >= shown;
}

/// How a curve is drawn among the curves that coincide with it.
struct Layer {
  double width = stroke_width;
  bool above = false;  ///< it lies on an earlier curve
};

/// The layers of curves. Of curves that coincide, the first is the widest, so that none is hidden.
std::vector<Layer> layers_of(const std::vector<Pixels>& curves) {
  constexpr double widest = 6;  // px
  std::vector<Layer> layers(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    double earlier = 0, later = 0;
    for (std::size_t j = 0; j < curves.size(); ++j)
      if (j != i && coincide(curves[i], curves[j])) (j < i ? earlier : later) += 1;
    layers[i].above = earlier > 0;
    if (later > 0)
      layers[i].width += later * std::min(stroke_width, (widest - stroke_width) / (earlier + later));
  }
  return layers;
}

/// Draws one diagram into a rectangle.
class Drawing {
 public:
  Drawing(const Plot& plot, const PlotOptions& options, double top)
      : plot_(plot), options_(options), top_(top) {
    std::vector<const std::vector<double>*> xs, ys;
    for (const PlotLine& line : plot.lines) xs.push_back(&line.x), ys.push_back(&line.y);
    const auto ticks = [](double length, double room, int most) {
      return std::clamp(static_cast<int>(length / room), 2, most);
    };
    x_ = make_axis(xs, plot.log_x, ticks(options.width - left - right, 78, 8), false);
    y_ = make_axis(ys, plot.log_y, ticks(options.height - bottom, 42, 6), true);
    if (!plot.title.empty()) title_ = wrapped(plot.title, options.width - left - right);
    if (options.legend == PlotOptions::Legend::each)
      legend_ = Legend({&plot}, left, options.width - left - right);
    begin_ = top_ + head();
    end_ = begin_ + options.height - bottom;
    for (const PlotLine& line : plot.lines) curves_.push_back(pixels(line));
    layers_ = layers_of(curves_);
  }

  double height() const { return head() + options_.height; }

  std::string draw() const {
    std::string svg;
    for (std::size_t i = 0; i < title_.size(); ++i)
      svg += text_at(left, top_ + static_cast<double>(i + 1) * line_height, "start", title_[i],
                     " font-weight=\"bold\"" + fitted(title_[i], options_.width - left - right));
    svg += axes() + labels();
    svg += fmt::format("<g fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\">\n", stroke_width);
    std::string curves;
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) curves += curve(i);
    svg += curves;
    if (curves.empty())
      svg += text_at((left + options_.width - right) / 2, (begin_ + end_) / 2, "middle",
                     plot_.log_y ? "no value above zero" : "no value", " fill=\"#666\" stroke=\"none\"");
    return svg + "</g>\n" + legend_.draw(top_ + title_height());
  }

 private:
  double title_height() const { return line_height * static_cast<double>(title_.size()); }
  double head() const { return 8 + title_height() + legend_.height(); }
  double px(double value) const { return left + x_.place(value) * (options_.width - left - right); }
  double py(double value) const { return end_ - y_.place(value) * (end_ - begin_); }
  Pixels pixels(const PlotLine& line) const {
    Pixels all(std::min(line.x.size(), line.y.size()));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = {px(line.x[k]), py(line.y[k])};
    return all;
  }
  std::string axes() const {
    const double width = options_.width - right;
    std::string grid, texts;
    for (const Axis::Tick& tick : y_.ticks) {
      grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", left, py(tick.at), width);
      texts += text_at(left - 7, py(tick.at) + 4.5, "end", tick.text);
    }
    double free = 0;  // where the next text along x may begin: texts must not touch
    for (const Axis::Tick& tick : x_.ticks) {
      const double x = px(tick.at), half = width_of(tick.text) / 2;
      grid += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, begin_, end_);
      const double middle = std::min(x, options_.width - half - 1);  // inside the picture
      if (middle - half < free) continue;
      texts += text_at(middle, end_ + line_height - 1, "middle", tick.text);
      free = middle + half + 6;
    }
    std::string svg = fmt::format("<path d=\"{}\" stroke=\"#d9dde2\" fill=\"none\"/>\n", grid);
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
        "stroke=\"#444\"/>\n",
        left, begin_, width - left, end_ - begin_);
    return svg + texts;
  }
  std::string labels() const {
    const std::string x_label = label_of(x_, plot_.x_label), y_label = label_of(y_, plot_.y_label);
    const double middle_x = (left + options_.width - right) / 2, middle_y = (begin_ + end_) / 2;
    const double room_x = 2 * (options_.width - middle_x),
                 room_y = 2 * std::min(middle_y - top_, top_ + height() - middle_y);
    return text_at(middle_x, end_ + 2 * line_height, "middle", x_label, fitted(x_label, room_x)) +
           text_at(14, middle_y, "middle", y_label,
                   fmt::format(" transform=\"rotate(-90 14 {:.1f})\"", middle_y) + fitted(y_label, room_y));
  }

  /// A point that no line joins to another.
  std::string dot(const Pixel& at, const LineStyle& style, const Layer& layer) const {
    constexpr double smaller = -1.2;  // px, added to the radius of a mark at a measured point
    return mark(at.x, at.y, {style.color, 0, style.dash, style.hollow}, smaller + layer.width - stroke_width,
                layer.above);
  }

  /// The line as a path. Successive points that are closer than half a pixel are replaced by the first, the
  /// lowest, the highest and the last of them. If x never falls along the line, only the distance in x
  /// counts; otherwise the distance in y must be below half a pixel too.
  std::string curve(std::size_t i) const {
    const PlotLine& line = plot_.lines[i];
    const LineStyle style = style_of(line, i);
    const Pixels& points = curves_[i];
    const Layer& layer = layers_[i];
    std::string path, marks;
    bool pen = false;
    const bool rises = std::is_sorted(line.x.begin(), line.x.end());
    const auto near = [&](double dx, double dy) {
      return std::abs(dx) < 0.5 && (rises || std::abs(dy) < 0.5);
    };
    const auto put = [&](double x, double y) {
      path += fmt::format("{}{:.1f} {:.1f}", pen ? 'L' : 'M', x, y);
      pen = true;
    };
    for (std::size_t k = 0; k < points.size();) {
      const auto [x, y] = points[k];
      if (!points[k].shown()) {
        pen = false, ++k;
        continue;
      }
      if (line.points) marks += mark(x, y, style, layer.width - stroke_width, layer.above);
      double least = y, most = y, last = y;
      std::size_t next = k + 1;
      for (; !line.points && next < points.size(); ++next) {
        const double further = points[next].y;
        if (!near(points[next].x - x, further - y) || !std::isfinite(further)) break;
        least = std::min(least, further), most = std::max(most, further), last = further;
      }
      const bool ends = next == points.size() || !points[next].shown();
      if (!pen && ends && most - least < 0.5 && !line.points) marks += dot(points[k], style, layer);
      put(x, y);
      if (next > k + 2) put(x, least), put(x, most);
      if (next > k + 1) put(x, last);
      k = next;
    }
    if (path.empty() || !line.joined) return marks;
    const std::string width =
        layer.width > stroke_width ? fmt::format(" stroke-width=\"{:.2g}\"", layer.width) : "";
    return fmt::format("<path d=\"{}\" {}{}/>\n{}", path, stroke(style), width, marks);
  }

  const Plot& plot_;
  const PlotOptions& options_;
  double top_, begin_ = 0, end_ = 0;
  Axis x_, y_;
  std::vector<Pixels> curves_;
  std::vector<Layer> layers_;
  std::vector<std::string> title_;
  Legend legend_;
};

}  // namespace

std::string to_svg(const std::vector<Plot>& plots, const PlotOptions& options) {
  std::string body;
  double top = 0;
  if (options.legend == PlotOptions::Legend::once) {
    std::vector<const Plot*> all;
    all.reserve(plots.size());
    for (const Plot& plot : plots) all.push_back(&plot);
    const Legend legend(all, left, options.width - left - right);
    body += legend.draw(top);
    top += legend.height() + 6;
  }
  for (const Plot& plot : plots) {
    const Drawing drawing(plot, options, top);
    body += drawing.draw();
    top += drawing.height() + 6;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
             "{0:.0f} "
             "{1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"{2}\" "
             "fill=\"#1c2430\">\n<!-- Made by Torsor. -->\n<rect width=\"100%\" height=\"100%\" "
             "fill=\"#ffffff\"/>\n",
             options.width, top, font) +
         body + "</svg>\n";
}

}  // namespace torsor::io
