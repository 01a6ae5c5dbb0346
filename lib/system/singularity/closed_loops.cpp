#include "closed_loops.hpp"

namespace torsor::mechanics {

/// Links with a single constraint are taken away one by one. What stays are the loops, and links between them.
std::vector<int> closed_loops(int links, const std::vector<Constraints::Item>& items) {
  std::vector<std::vector<int>> items_of(links);
  std::vector<int> ends;          // over items: the links that are left, and the ground
  std::vector<int> count(links);  // over links: the items that are left
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    ends.push_back(static_cast<int>(items[i].links.size()) + items[i].grounded);
    if (items[i].rows == 0 || ends[i] < 2) continue;
    for (const int link : items[i].links) items_of[link].push_back(i), ++count[link];
  }
  std::vector<char> in_loop(links, true);
  std::vector<int> stack;
  for (int link = 0; link < links; ++link)
    if (count[link] < 2) stack.push_back(link);
  while (!stack.empty()) {
    const int link = stack.back();
    stack.pop_back();
    if (!in_loop[link]) continue;
    in_loop[link] = false;
    for (const int i : items_of[link]) {
      if (--ends[i] != 1) continue;
      for (const int other : items[i].links)
        if (in_loop[other] && --count[other] < 2) stack.push_back(other);
    }
  }
  std::vector<int> group(links, -1);
  int groups = 0;
  for (int first = 0; first < links; ++first) {
    if (!in_loop[first] || group[first] >= 0) continue;
    group[first] = groups++;
    stack.assign(1, first);
    while (!stack.empty()) {
      const int link = stack.back();
      stack.pop_back();
      for (const int i : items_of[link])
        for (const int other : items[i].links)
          if (in_loop[other] && group[other] < 0) group[other] = group[first], stack.push_back(other);
    }
  }
  return group;
}

}  // namespace torsor::mechanics
