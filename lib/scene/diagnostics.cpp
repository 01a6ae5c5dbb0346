#include "diagnostics.hpp"

#include <fmt/format.h>

#include <tuple>

#include "run/plain_text.hpp"

namespace torsor::scene {
namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += diagnostic.text();
  }
  return text;
}

}  // namespace

std::string Diagnostic::text() const {
  const std::string where = plain_text(file), what = plain_text(message);
  if (line == 0) return fmt::format("{}: error: {}", where, what);
  return fmt::format("{}:{}:{}: error: {}", where, line, column, what);
}

SceneError::SceneError(std::vector<Diagnostic> diagnostics_, bool limit_exceeded_)
    : std::runtime_error(joined(diagnostics_)),
      diagnostics(std::move(diagnostics_)),
      limit_exceeded(limit_exceeded_) {}

bool Diagnostics::InOrder::operator()(const Position& a, const Position& b) const {
  return std::tie(a.override_index, a.line, a.column) < std::tie(b.override_index, b.line, b.column);
}

Diagnostic Diagnostics::diagnostic(const Position& at, std::string message) const {
  if (at.override_index < 0) return {file_, at.line, at.column, std::move(message)};
  const auto& [path, value] = overrides_[at.override_index];
  return {fmt::format("--set {}={}", path, value), 0, at.column, std::move(message), at.override_index};
}

void Diagnostics::error(const Position& at, std::string message) {
  if (full()) message.clear();
  found_.try_emplace(at, std::move(message));
}

bool Diagnostics::any_between(const Position& begin, const Position& end) const {
  const auto first = found_.lower_bound(begin);
  return first != found_.end() && InOrder()(first->first, end);
}

void Diagnostics::throw_if_any() const {
  if (empty()) return;
  std::vector<Diagnostic> sorted;
  for (const auto& [at, message] : found_)
    if (!message.empty()) sorted.push_back(diagnostic(at, message));
  if (found_.size() > sorted.size()) {
    const std::size_t more = found_.size() - sorted.size();
    sorted.push_back(
        {file_, 0, 0, fmt::format("{} more error{} not shown", more, more == 1 ? " is" : "s are")});
  }
  throw SceneError(std::move(sorted));
}

void Diagnostics::throw_error(const Position& at, std::string message) const {
  throw SceneError({diagnostic(at, std::move(message))});
}

void Diagnostics::throw_limit(const Position& at, std::string message) const {
  throw SceneError({diagnostic(at, std::move(message))}, true);
}
}  // namespace torsor::scene
