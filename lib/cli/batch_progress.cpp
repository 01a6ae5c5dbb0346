#include "batch_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "process.hpp"
#include "progress.hpp"

namespace torsor::cli {

BatchProgress::BatchProgress(std::string name, Form form)
    : name_(std::move(name)),
      form_(form == Form::bar && !is_terminal(STDERR_FILENO) ? Form::none : form),
      next_(Clock::now() + std::chrono::seconds(1)) {}

BatchProgress::~BatchProgress() {
  if (shown_) tell("\r\033[K");
}

void BatchProgress::at(const BatchState& state) {
  const auto now = Clock::now();
  if (form_ == Form::none || now < next_) return;
  next_ = now + (form_ == Form::bar ? std::chrono::milliseconds(200) : std::chrono::milliseconds(1000));
  if (form_ == Form::json) return tell_json(state);
  shown_ = true;
  const double share =
      state.cases > 0 ? static_cast<double>(state.done) / static_cast<double>(state.cases) : 1;
  const std::string failed = state.failed > 0 ? fmt::format(", {} failed", state.failed) : "";
  const std::string line =
      fmt::format("{} {} {:3.0f} %  {} of {}{}  {} left", name_, bar(share), 100 * share, state.done,
                  state.cases, failed, state.rate > 0 ? duration(state.left_s()) : "?");
  tell(fmt::format("\r{:.{}}\033[K", line, terminal_width(STDERR_FILENO) - 1));
}

void BatchProgress::end(const BatchState& state) {
  if (std::exchange(shown_, false)) tell("\r\033[K");
  if (form_ == Form::json) tell_json(state);
}

void BatchProgress::tell_json(const BatchState& state) const {
  tell(
      fmt::format("{{\"cases\": {}, \"done\": {}, \"failed\": {}, \"left\": {}, \"rate\": {:.6g}, "
                  "\"left_s\": {:.6g}}}\n",
                  state.cases, state.done, state.failed, state.left(), state.rate, state.left_s()));
}

}  // namespace torsor::cli
