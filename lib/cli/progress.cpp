#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "process.hpp"

namespace torsor::cli {

std::string duration(double seconds) {
  const auto s = std::lround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

std::string time_of(double t, double t_begin, double t_end) {
  const double latest = std::max(std::abs(t_begin), std::abs(t_end));
  const double decades = std::ceil(std::log10(latest / (t_end - t_begin)));
  const int digits = static_cast<int>(std::max(4., std::min(17., 4 + decades)));  // 17 if decades is NaN
  return fmt::format("t = {:.{}g} of {:.{}g} s", t, digits, t_end, digits);
}

std::string progress_line(const std::string& name, double share, std::vector<std::string> parts, int width) {
  constexpr int longest = 24, shortest = 6;
  std::string text;
  for (;; parts.erase(parts.begin())) {
    text = fmt::format("{:3.0f} %", 100 * share);
    for (const std::string& part : parts) text += "  " + part;
    const int room = width - static_cast<int>(name.size() + text.size()) - 4;  // blanks and brackets
    if (room >= shortest) {
      const int bar = std::min(room, longest), filled = static_cast<int>(share * bar);
      return fmt::format("{} [{:=<{}}{:>{}}] {}", name, "", filled, "", bar - filled, text);
    }
    if (parts.size() <= 1) break;
  }
  return fmt::format("{:.{}}", name + " " + text, width);
}

StatusLine::StatusLine(bool wanted, std::chrono::milliseconds quiet)
    : wanted_(wanted && is_terminal(STDERR_FILENO)), next_(Clock::now() + quiet) {}

bool StatusLine::due() {
  const auto now = Clock::now();
  if (!wanted_ || now < next_) return false;
  next_ = now + std::chrono::milliseconds(100);
  return true;
}

void StatusLine::show(const std::string& name, double share, std::vector<std::string> parts) {
  shown_ = true;
  const int width = terminal_width(STDERR_FILENO) - 1;
  print_error(
      fmt::format("\r{}\033[K", progress_line(name, std::clamp(share, 0., 1.), std::move(parts), width)));
}

void StatusLine::erase() {
  if (std::exchange(shown_, false)) print_error("\r\033[K");
}

Progress::Progress(std::string name, double t_begin, double t_end, bool wanted)
    : name_(std::move(name)),
      t_begin_(t_begin),
      t_end_(t_end),
      line_(wanted && t_end > t_begin, std::chrono::seconds(2)) {}

void Progress::at(double t) {
  if (!line_.due()) return;
  const double share = std::clamp((t - t_begin_) / (t_end_ - t_begin_), 0., 1.),
               elapsed_s = std::chrono::duration<double>(Clock::now() - start_).count();
  line_.show(name_, share,
             {time_of(t, t_begin_, t_end_),
              share > 0.001 ? duration(elapsed_s * (1 - share) / share) + " left" : std::string("starting")});
}

}  // namespace torsor::cli
