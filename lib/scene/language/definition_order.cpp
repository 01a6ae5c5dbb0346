#include "definition_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace torsor::scene {
namespace {

/// Depth-first search that lists a definition after all definitions that it uses.
class Ordering {
 public:
  Ordering(const Node::Table& entries, const std::vector<std::vector<int>>& uses, std::string_view table,
           Diagnostics& diagnostics)
      : entries_(entries), uses_(uses), table_(table), diagnostics_(diagnostics), states_(uses.size()) {}

  std::vector<int> order;
  bool good = true;

  void visit(int i) {
    State& state = states_[i];
    if (state == State::done) return;
    if (state == State::open) return refuse(i);
    state = State::open;
    way_.push_back(i);
    for (const int used : uses_[i]) visit(used);
    way_.pop_back();
    state = State::done;
    order.push_back(i);
  }

 private:
  enum class State { fresh, open, done };

  /// Reports the cycle of definitions from i back to i. The message is at the definition that an override
  /// sets, if there is one, else at i.
  void refuse(int i) {
    good = false;
    std::vector<int> round(std::find(way_.begin(), way_.end(), i), way_.end());
    const auto is_from_outside = [&](int k) { return entries_[k].value.at.override_index >= 0; };
    const auto first = std::find_if(round.begin(), round.end(), is_from_outside);
    if (first != round.end()) std::rotate(round.begin(), first, round.end());
    round.push_back(round.front());
    std::string names;
    for (const int k : round) names += (names.empty() ? "" : ", ") + entries_[k].key;
    const Entry& entry = entries_[round.front()];
    diagnostics_.error(entry.value.at,
                       fmt::format("\"{}\" of {} depends on itself: {}", entry.key, table_, names));
  }

  const Node::Table& entries_;
  const std::vector<std::vector<int>>& uses_;
  std::string_view table_;
  Diagnostics& diagnostics_;
  std::vector<State> states_;
  std::vector<int> way_;
};

}  // namespace

std::optional<std::vector<int>> definition_order(const Node::Table& entries,
                                                 const std::vector<std::vector<int>>& uses,
                                                 std::string_view table, Diagnostics& diagnostics) {
  Ordering ordering(entries, uses, table, diagnostics);
  for (std::size_t i = 0; i < uses.size(); ++i) ordering.visit(static_cast<int>(i));
  if (!ordering.good) return std::nullopt;
  return std::move(ordering.order);
}

}  // namespace torsor::scene
