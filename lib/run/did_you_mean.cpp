#include "did_you_mean.hpp"

#include <algorithm>

namespace torsor {
namespace {

bool same_letter(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return lower(a) == lower(b);
}

/// Number of edits that lead from a to b, without regard to case. No part is edited twice (restricted form).
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + !same_letter(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// Whether one of two names begins with the other, without regard to case, _ and -. False if one of them has
/// no other characters.
bool one_begins_other(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view name, std::size_t at) {
    return std::min(name.find_first_not_of("_-", at), name.size());
  };
  std::size_t i = next(a, 0), j = next(b, 0);
  if (i == a.size() || j == b.size()) return false;
  while (i < a.size() && j < b.size()) {
    if (!same_letter(a[i], b[j])) return false;
    i = next(a, i + 1), j = next(b, j + 1);
  }
  return true;
}

}  // namespace

std::string_view nearest_name(std::string_view written, const std::vector<std::string_view>& known) {
  if (written.empty() || written.size() > 64) return {};
  std::string_view nearest;
  // One edit is allowed for every two letters, but at least one and at most three. Distances count half
  // edits. If one name begins with the other ("stepsize" for "step"), the distance is at most one and a half
  // edits.
  int least = 2 * std::clamp<int>(static_cast<int>(written.size()) / 2, 1, 3) + 1;
  for (std::string_view candidate : known) {
    if (candidate.size() > 64) continue;
    const bool prefix = candidate.size() >= 3 && written.size() >= 3 && one_begins_other(written, candidate);
    const int distance = std::min(2 * edit_distance(written, candidate), prefix ? 3 : 1000);
    if (distance < least && distance < 2 * static_cast<int>(std::max(written.size(), candidate.size()))) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view written, const std::vector<std::string_view>& known) {
  const std::string_view nearest = nearest_name(written, known);
  if (nearest.empty()) return {};
  return std::string("; did you mean \"").append(nearest).append("\"?");
}

}  // namespace torsor
