#include "closed_loops.hpp"

namespace torsor::mechanics {
namespace {

/// Whether the items that are not yet taken away connect the link with at most one other link, or with the
/// ground alone.
bool hangs(int link, const std::vector<Constraints::Item>& items, const std::vector<int>& items_of_link,
           const std::vector<char>& in_loop) {
  const int none = -2, ground = -1;
  int other = none;
  const auto differs = [&](int next) {
    if (other == none) other = next;
    return next != other;
  };
  for (const int i : items_of_link) {
    for (const int next : items[i].links)
      if (next != link && in_loop[next] && differs(next)) return false;
    if (items[i].grounded && differs(ground)) return false;
  }
  return true;
}

}  // namespace

/// Links that hang on others are taken away one by one. What stays are the loops, and links between them.
ClosedLoops::ClosedLoops(int links, const std::vector<Constraints::Item>& items) : of_link(links, -1) {
  std::vector<std::vector<int>> items_of(links);
  for (int i = 0; i < static_cast<int>(items.size()); ++i)
    if (items[i].rows > 0)
      for (const int link : items[i].links) items_of[link].push_back(i);
  std::vector<char> in_loop(links, true);
  std::vector<int> stack(links);
  for (int link = 0; link < links; ++link) stack[link] = link;
  const auto push_neighbours = [&](int link) {
    for (const int i : items_of[link])
      for (const int other : items[i].links)
        if (in_loop[other]) stack.push_back(other);
  };
  while (!stack.empty()) {
    const int link = stack.back();
    stack.pop_back();
    if (!in_loop[link] || !hangs(link, items, items_of[link], in_loop)) continue;
    in_loop[link] = false;
    push_neighbours(link);
  }
  for (int first = 0; first < links; ++first) {
    if (!in_loop[first] || of_link[first] >= 0) continue;
    stack.assign(1, first);
    while (!stack.empty()) {
      const int link = stack.back();
      stack.pop_back();
      if (of_link[link] >= 0) continue;
      of_link[link] = groups;
      push_neighbours(link);
    }
    ++groups;
  }
}

Vec ClosedLoops::relative(int group, const Vec& V) const {
  Vec out(V.size());
  Vector<double, 6> mean = Vector<double, 6>::Zero();
  Eigen::Index count = 0;
  for (std::size_t link = 0; link < of_link.size(); ++link) {
    if (of_link[link] != group) continue;
    const Vector<double, 6> part = V.segment<6>(6 * static_cast<Eigen::Index>(link));
    out.segment<6>(6 * count++) = part, mean += part;
  }
  out.conservativeResize(6 * count);
  if (count > 1)
    for (Eigen::Index k = 0; k < count; ++k) out.segment<6>(6 * k) -= mean / static_cast<double>(count);
  return out;
}

}  // namespace torsor::mechanics
