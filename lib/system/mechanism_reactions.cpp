#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>

#include "mechanism_scratch.hpp"

namespace torsor {

std::vector<MechanismSystem::Reaction> MechanismSystem::reactions(double t, VecIn q, VecIn v, VecIn lambda,
                                                                  std::vector<Wrench>& on_links) const {
  const Scratch& s = *scratch_;
  look_at(t, q, v);
  std::vector<Reaction> all;
  int at = 0;
  for (std::size_t i = 0; i < s.constraints.items().size(); ++i) {
    const Constraints::Item& item = s.constraints.items()[i];
    if (item.tree) continue;
    Reaction reaction{static_cast<int>(i), {}, lambda.segment(at, item.rows), 0};
    for (std::size_t k = 0; k < item.links.size(); ++k) {
      const Vector<double, 6> wrench = wrench_on(item, static_cast<int>(k), lambda.data() + at);
      if (k == 0) reaction.on_body = {wrench.head<3>(), wrench.tail<3>()};
      on_links[item.links[k]].force += wrench.head<3>();
      on_links[item.links[k]].torque += wrench.tail<3>();
    }
    for (int row = 0; row < item.rows; ++row)
      if (!s.gives_way[item.row_begin + row])
        reaction.power -= lambda[at + row] * s.values.a0[item.row_begin + row];
    at += item.rows;
    all.push_back(std::move(reaction));
  }
  return all;
}

/// The elimination may reach the rows of tree joints after rows that depend on them, and then find the
/// former redundant. In that case a QR factorisation of the m rows, in their own order, decides.
std::vector<char> MechanismSystem::redundant_rows(double t, VecIn q) const {
  const Scratch& s = *scratch_;
  look_at(t, q);
  factor();
  std::vector<char> redundant;
  for (const int row : s.own_rows) redundant.push_back(s.kkt.redundant()[row]);
  if (std::count(redundant.begin(), redundant.end(), 1) == s.kkt.redundant_rows()) return redundant;
  constexpr double dependent = 1e-9,
                   nothing = 1e-14;  // relative pivot; size of a row
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<int> row_of;  // of each column of `rows_in_order`
  Vec row(nv());
  for (int i = 0; i < rows(); ++i) {
    reaction(t, q, Vec::Unit(rows(), i), row);
    const double size = row.norm();
    redundant[i] = !(size > nothing);
    if (redundant[i]) continue;
    for (int j = 0; j < nv(); ++j)
      if (std::abs(row[j]) > nothing * size)
        entries.emplace_back(j, static_cast<int>(row_of.size()), row[j] / size);
    row_of.push_back(i);
  }
  Eigen::SparseMatrix<double> rows_in_order(nv(), static_cast<Eigen::Index>(row_of.size()));
  rows_in_order.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::NaturalOrdering<int>> qr;
  qr.setPivotThreshold(dependent);
  qr.compute(rows_in_order);
  for (Eigen::Index k = qr.rank(); k < rows_in_order.cols(); ++k)
    redundant[row_of[qr.colsPermutation().indices()[k]]] = 1;
  return redundant;
}

/// Reduces arbitrary multipliers to least norm. The multipliers that change are not unique.
std::vector<char> MechanismSystem::unique_multipliers(double t, VecIn q) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  factor();
  std::vector<char> unique(s.constraints.items().size(), 1);
  if (s.kkt.redundant_rows() == 0) return unique;
  Vec any(s.constraints.size());
  for (Eigen::Index row = 0; row < any.size(); ++row)
    any[row] = 1 + std::fmod(0.6180339887498949 * static_cast<double>(row + 1), 1);  // different in every row
  s.y = any;
  s.kkt.least_norm(s.y.data());
  for (std::size_t i = 0; i < unique.size(); ++i) {
    const Constraints::Item& item = s.constraints.items()[i];
    const auto rows = [&](const Vec& y) { return y.segment(item.row_begin, item.rows); };
    unique[i] = (rows(s.y) - rows(any)).isZero(1e-6);
  }
  return unique;
}

}  // namespace torsor
