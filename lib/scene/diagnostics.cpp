#include "diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace torsor {
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
  if (line == 0) return fmt::format("{}: error: {}", file, message);
  return fmt::format("{}:{}:{}: error: {}", file, line, column, message);
}

SceneError::SceneError(std::vector<Diagnostic> diagnostics_, bool limit_exceeded_)
    : std::runtime_error(joined(diagnostics_)),
      diagnostics(std::move(diagnostics_)),
      limit_exceeded(limit_exceeded_) {}

namespace scene {

bool Diagnostics::InOrder::operator()(const Position& a, const Position& b) const {
  return std::tie(a.override_index, a.line, a.column) < std::tie(b.override_index, b.line, b.column);
}

Diagnostic Diagnostics::diagnostic(const Position& at, std::string message) const {
  if (at.override_index < 0) return {file_, at.line, at.column, std::move(message)};
  const auto& [path, value] = overrides_[at.override_index];
  return {fmt::format("--set {}={}", path, value), 0, 0, std::move(message)};
}

bool Diagnostics::wants(const Position& at) const { return !full() && !found_.contains(at); }

void Diagnostics::error(const Position& at, std::string message) {
  if (!full()) found_.try_emplace(at, std::move(message));
}

void Diagnostics::throw_if_any() const {
  if (empty()) return;
  std::vector<Diagnostic> sorted;
  for (const auto& [at, message] : found_) sorted.push_back(diagnostic(at, message));
  throw SceneError(std::move(sorted));
}

void Diagnostics::throw_error(const Position& at, std::string message) const {
  throw SceneError({diagnostic(at, std::move(message))});
}

void Diagnostics::throw_limit(const Position& at, std::string message) const {
  throw SceneError({diagnostic(at, std::move(message))}, true);
}

namespace {

/// Edits (insert, delete, replace, swap of neighbours) that lead from a to b. Damerau,
/// doi 10.1145/363958.363994, in the restricted form where no part is edited twice.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view written, const std::vector<std::string_view>& known) {
  if (written.empty() || written.size() > 64) return {};
  std::string_view nearest;
  // Half the letters may be wrong, three at most. Counted in halves: a key cut short or lengthened
  // ("stepsize" for "step") is nearer than its edits say, though not as near as one slip.
  int least = 2 * std::clamp<int>(static_cast<int>(written.size()) / 2, 1, 3) + 1;
  for (std::string_view candidate : known) {
    if (candidate.size() > 64) continue;
    const bool prefix = candidate.size() >= 3 && written.size() >= 3 &&
                        (written.starts_with(candidate) || candidate.starts_with(written));
    const int distance = std::min(2 * edit_distance(written, candidate), prefix ? 3 : 1000);
    if (distance < least && distance < 2 * static_cast<int>(std::max(written.size(), candidate.size()))) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", nearest);
}

}  // namespace scene
}  // namespace torsor
