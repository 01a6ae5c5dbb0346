#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "process.hpp"

namespace torsor::cli {

std::string duration(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

std::string bar(double share) {
  constexpr int width = 24;
  const int filled = static_cast<int>(share * width);
  return fmt::format("[{:=<{}}{:>{}}]", "", filled, "", width - filled);
}

Progress::Progress(std::string name, double t_begin, double t_end, bool wanted)
    : name_(std::move(name)),
      t_begin_(t_begin),
      t_end_(t_end),
      wanted_(wanted && t_end > t_begin && is_terminal(STDERR_FILENO)) {}

Progress::~Progress() { erase(); }

void Progress::at(double t) {
  if (!wanted_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  const double share = std::clamp((t - t_begin_) / (t_end_ - t_begin_), 0., 1.);
  const auto text = line(share, t, std::chrono::duration<double>(now - start_).count());
  tell(fmt::format("\r{:.{}}\033[K", text, terminal_width(STDERR_FILENO) - 1));
}

void Progress::erase() {
  if (!std::exchange(shown_, false)) return;
  tell("\r\033[K");
}

std::string Progress::line(double share, double t, double elapsed_s) const {
  const auto left =
      share > 0.001 ? duration(elapsed_s * (1 - share) / share) + " left" : std::string("starting");
  return fmt::format("{} {} {:3.0f} %  t = {:.4g} of {:.4g} s  {}", name_, bar(share), 100 * share, t, t_end_,
                     left);
}

}  // namespace torsor::cli
