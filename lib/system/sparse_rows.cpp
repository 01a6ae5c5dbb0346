#include "sparse_rows.hpp"

#include <algorithm>

namespace torsor::mechanics {
namespace {

/// For each link: the indices in `rows` of the rows that depend on the velocities of the joint of the link.
std::vector<std::vector<int>> rows_of_joints(const Model& tree, const std::vector<RowsOfLinks>& rows) {
  std::vector<std::vector<int>> all(static_cast<std::size_t>(tree.size()));
  for (int i = 0; i < static_cast<int>(rows.size()); ++i)
    for (int link : rows[i].links)
      for (; link != world && (all[link].empty() || all[link].back() != i); link = tree.parent[link])
        all[link].push_back(i);
  return all;
}

/// Groups of links whose joints share no row.
std::vector<std::vector<int>> groups_without_common_row(const std::vector<std::vector<int>>& rows_of_joint,
                                                        std::size_t rows) {
  std::vector<std::vector<int>> groups;
  std::vector<std::vector<char>> taken(rows);  // over rows and groups
  for (std::size_t link = 0; link < rows_of_joint.size(); ++link) {
    const std::vector<int>& own = rows_of_joint[link];
    if (own.empty()) continue;
    std::size_t group = 0;
    const auto is_taken = [&](int row) { return taken[row].size() > group && taken[row][group]; };
    while (std::any_of(own.begin(), own.end(), is_taken)) ++group;
    for (const int row : own) {
      if (taken[row].size() <= group) taken[row].resize(group + 1, 0);
      taken[row][group] = 1;
    }
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(static_cast<int>(link));
  }
  return groups;
}

}  // namespace

linear::Sparse sparse_rows(const Model& tree, const std::vector<RowsOfLinks>& rows,
                           const std::function<Vec(const Vec& v)>& times) {
  const std::vector<std::vector<int>> rows_of_joint = rows_of_joints(tree, rows);
  std::vector<int> first{0};
  for (const RowsOfLinks& each : rows) first.push_back(first.back() + each.count);
  std::vector<Eigen::Triplet<double>> entries;
  Vec unit = Vec::Zero(tree.nv());
  for (const std::vector<int>& links : groups_without_common_row(rows_of_joint, rows.size()))
    for (int k = 0; k < 6; ++k) {
      const auto moves = [&](int link) { return k < freedom_count(tree.kind[link]); };
      if (std::none_of(links.begin(), links.end(), moves)) break;
      for (const int link : links)
        if (moves(link)) unit[tree.v_begin[link] + k] = 1;
      const Vec column = times(unit);
      for (const int link : links) {
        if (!moves(link)) continue;
        const int velocity = tree.v_begin[link] + k;
        unit[velocity] = 0;
        for (const int i : rows_of_joint[link])
          for (int row = first[i]; row < first[i + 1]; ++row)
            if (column[row] != 0) entries.emplace_back(row, velocity, column[row]);
      }
    }
  linear::Sparse A(first.back(), tree.nv());
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

linear::Sparse constraint_rows(const MechanismSystem& system, double t, const Vec& q) {
  std::vector<RowsOfLinks> rows;
  for (const Constraints::Item& item : system.constraints().items())
    if (!item.tree) rows.push_back({item.rows, item.links});
  return sparse_rows(system.model(), rows, [&](const Vec& v) {
    Vec out(system.rows());
    system.constraint_times(t, q, v, out);
    return out;
  });
}

}  // namespace torsor::mechanics
