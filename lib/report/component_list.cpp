#include "torsor/report/detail/component_list.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace torsor::detail {

ComponentList::ComponentList(std::vector<std::string> names)
    : names_(std::move(names)), length_(Vec::Ones(static_cast<Eigen::Index>(names_.size()) + 1)) {
  names_.emplace_back("t");
}

ComponentList::ComponentList(std::vector<std::string> names, const Eigen::MatrixXd& metric, const Vec& e)
    : ComponentList(std::move(names)) {
  for (int i = 0; i < time(); ++i)
    if (const double g = std::abs(metric(i, i)); g > 0 && std::isfinite(g)) length_[i] = std::sqrt(g);
  All all;
  for (int i = 0; i <= time(); ++i)
    for (int j = 0; j <= time(); ++j) all.push_back(component(metric(i, j), {}, {i, j}, ""));
  metric_ = greatest(all);
  const Vec q = e.head(time()).cwiseAbs().cwiseMax(1).cwiseProduct(length_.head(time()));
  if (time() > 0) inverse_size_ = 1 / q.maxCoeff();
}

ComponentList::List ComponentList::brackets(const Three& C) const {
  Sizes one;
  one.fill(1);
  return kept(upper(C, true), one);
}

ConnectionComponents ComponentList::list(const Three& affinities, const Three& torsion, const Four& curvature,
                                         const Three& non_metricity) const {
  const All L = upper(affinities, false);
  Sizes terms = greatest(L);
  at(terms, 0) = std::max(at(terms, 0), inverse_size_);
  return {kept(L, terms), kept(upper(torsion, true), terms), kept(all_of(curvature), product(terms, terms)),
          kept(lower(non_metricity), product(terms, metric_))};
}

ComponentList::Component ComponentList::component(double value, std::initializer_list<int> upper,
                                                  std::initializer_list<int> lower, std::string name) const {
  Component one{std::move(name), value, std::abs(value), 0};
  for (const int i : upper) one.size *= length_[i], one.power -= i == time();
  for (const int i : lower) one.size /= length_[i], one.power += i == time();
  return one;
}

/// t(k, i, j) as "i, j -> k"; only those with i < j where t is antisymmetric in i and j.
ComponentList::All ComponentList::upper(const Three& t, bool antisymmetric) const {
  All all;
  for (int i = 0; i < t.size(); ++i)
    for (int j = antisymmetric ? i + 1 : 0; j < t.size(); ++j)
      for (int k = 0; k < t.size(); ++k)
        all.push_back(component(t(k, i, j), {k}, {i, j}, name(i) + ", " + name(j) + " -> " + name(k)));
  return all;
}

/// D(k, i, j), symmetric in i and j, as "k: i, j".
ComponentList::All ComponentList::lower(const Three& D) const {
  All all;
  for (int i = 0; i < D.size(); ++i)
    for (int j = i; j < D.size(); ++j)
      for (int k = 0; k < D.size(); ++k)
        all.push_back(component(D(k, i, j), {}, {k, i, j}, name(k) + ": " + name(i) + ", " + name(j)));
  return all;
}

/// R(i, j, k, l), antisymmetric in k and l, as "k, l: j -> i".
ComponentList::All ComponentList::all_of(const Four& R) const {
  All all;
  for (int k = 0; k < R.size(); ++k)
    for (int l = k + 1; l < R.size(); ++l)
      for (int j = 0; j < R.size(); ++j)
        for (int i = 0; i < R.size(); ++i)
          all.push_back(component(R(i, j, k, l), {i}, {j, k, l},
                                  name(k) + ", " + name(l) + ": " + name(j) + " -> " + name(i)));
  return all;
}

ComponentList::Sizes ComponentList::greatest(const All& all) {
  Sizes sizes{};
  for (const Component& one : all)
    if (std::isfinite(one.size)) at(sizes, one.power) = std::max(at(sizes, one.power), one.size);
  return sizes;
}

ComponentList::Sizes ComponentList::product(Sizes a, Sizes b) {
  Sizes sizes{};
  for (int i = -2; i <= 5; ++i)
    for (int j = -2; j <= 5; ++j)
      if (-2 <= i + j && i + j <= 5) at(sizes, i + j) = std::max(at(sizes, i + j), at(a, i) * at(b, j));
  return sizes;
}

/// The components that are greater than the rounding of these terms and of the greatest component. A
/// component that is not finite is kept.
ComponentList::List ComponentList::kept(const All& all, Sizes terms) {
  constexpr double rounding = 1e-12;
  Sizes sizes = greatest(all);
  List list;
  for (const Component& one : all)
    if (!std::isfinite(one.value) ||
        one.size > rounding * std::max(at(sizes, one.power), at(terms, one.power)))
      list.push_back({one.name, one.value});
  return list;
}

}  // namespace torsor::detail
