#include "batch_progress.hpp"

#include <fmt/format.h>

#include <utility>

#include "process.hpp"
#include "progress.hpp"

namespace torsor::cli {

BatchProgress::BatchProgress(std::string name, Form form)
    : name_(std::move(name)),
      form_(form),
      line_(form == Form::bar, std::chrono::seconds(1)),
      next_(Clock::now() + std::chrono::seconds(1)) {}

void BatchProgress::at(const batch::BatchState& state) {
  if (form_ == Form::json && Clock::now() >= next_) {
    next_ = Clock::now() + std::chrono::seconds(1);
    return tell_json(state);
  }
  if (!line_.due()) return;
  const double share =
      state.cases > 0 ? static_cast<double>(state.done) / static_cast<double>(state.cases) : 1;
  const std::string failed = state.failed > 0 ? fmt::format(", {} failed", state.failed) : "";
  const auto left_s = state.left_s();
  line_.show(name_, share,
             {fmt::format("{} of {}{}", state.done, state.cases, failed),
              (left_s ? duration(*left_s) : std::string("?")) + " left"});
}

void BatchProgress::end(const batch::BatchState& state) {
  line_.erase();
  if (form_ == Form::json) tell_json(state);
}

void BatchProgress::tell_json(const batch::BatchState& state) const {
  const auto left_s = state.left_s();
  print_error(fmt::format(
      "{{\"cases\": {}, \"done\": {}, \"failed\": {}, \"noted\": {}, \"left\": {}, \"rate\": {:.6g}, "
      "\"left_s\": {}}}\n",
      state.cases, state.done, state.failed, state.noted, state.left(), state.rate,
      left_s ? fmt::format("{:.6g}", *left_s) : "null"));
}

}  // namespace torsor::cli
