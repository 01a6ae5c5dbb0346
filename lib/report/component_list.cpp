#include "torsor/report/detail/component_list.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "torsor/coordinates/detail/affinities_at.hpp"

namespace torsor::detail {

ComponentList::ComponentList(std::vector<std::string> names)
    : names_(std::move(names)), length_(Vec::Ones(static_cast<Eigen::Index>(names_.size()) + 1)) {
  names_.emplace_back("t");
}

ComponentList::ComponentList(std::vector<std::string> names, const Eigen::MatrixXd& metric, const Vec& rates)
    : ComponentList(std::move(names)) {
  g_ = metric, rates_ = rates;
  for (int i = 0; i < time(); ++i)
    if (const double g = std::abs(metric(i, i)); g > 0 && std::isfinite(g)) length_[i] = std::sqrt(g);
  All all;
  for (int i = 0; i <= time(); ++i)
    for (int j = 0; j <= time(); ++j) all.push_back(component(metric(i, j), {}, {i, j}, ""));
  metric_ = greatest(all);
}

ComponentList::List ComponentList::brackets(const Three& C) const {
  Sizes one;
  one.fill(1);
  return kept(upper(C, true, Three(C.size())), one);
}

ConnectionComponents ComponentList::list(const Three& affinities, const Three& torsion, const Four& curvature,
                                         const Three& non_metricity) const {
  const int n = affinities.size();
  const Eigen::MatrixXd g = g_.cwiseAbs(),
                        lengths = g.diagonal().cwiseSqrt() * g.diagonal().cwiseSqrt().transpose();
  Three T = affinity_terms(g_, rates_), terms_of_D(n);
  Four terms_of_R(n);
  T.columns() = (g_.inverse().cwiseAbs() * T.columns()).eval();
  for (int k = 0; k < n; ++k) {
    const Eigen::MatrixXd gT = g * T.along(k);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) terms_of_D(k, i, j) = gT(i, j) + gT(j, i) + rates_[k] * lengths(i, j);
    for (int l = 0; l < n; ++l)
      terms_of_R.along(k, l) =
          T.along(k) * T.along(l) + T.along(l) * T.along(k) + rates_[k] * T.along(l) + rates_[l] * T.along(k);
  }
  const All L = upper(affinities, false, T);
  const Sizes terms = greatest(L);
  return {kept(L, terms), kept(upper(torsion, true, T), terms),
          kept(all_of(curvature, terms_of_R), product(terms, terms)),
          kept(lower(non_metricity, terms_of_D), product(terms, metric_))};
}

ComponentList::Component ComponentList::component(double value, std::initializer_list<int> upper,
                                                  std::initializer_list<int> lower, std::string name,
                                                  double terms) const {
  Component one{std::move(name), value, std::abs(value), 0};
  double unit = 1;
  for (const int i : upper) one.size *= length_[i], unit *= length_[i], one.power -= i == time();
  for (const int i : lower) one.size /= length_[i], unit /= length_[i], one.power += i == time();
  one.terms = unit * terms;
  return one;
}

/// t(k, i, j) as "i, j -> k". If t is antisymmetric in i and j, only the components with i < j.
ComponentList::All ComponentList::upper(const Three& t, bool antisymmetric, const Three& terms) const {
  All all;
  for (int i = 0; i < t.size(); ++i)
    for (int j = antisymmetric ? i + 1 : 0; j < t.size(); ++j)
      for (int k = 0; k < t.size(); ++k)
        all.push_back(
            component(t(k, i, j), {k}, {i, j}, name(i) + ", " + name(j) + " -> " + name(k), terms(k, i, j)));
  return all;
}

/// D(k, i, j), symmetric in i and j, as "k: i, j".
ComponentList::All ComponentList::lower(const Three& D, const Three& terms) const {
  All all;
  for (int i = 0; i < D.size(); ++i)
    for (int j = i; j < D.size(); ++j)
      for (int k = 0; k < D.size(); ++k)
        all.push_back(
            component(D(k, i, j), {}, {k, i, j}, name(k) + ": " + name(i) + ", " + name(j), terms(k, i, j)));
  return all;
}

/// R(i, j, k, l), antisymmetric in k and l, as "k, l: j -> i".
ComponentList::All ComponentList::all_of(const Four& R, const Four& terms) const {
  All all;
  for (int k = 0; k < R.size(); ++k)
    for (int l = k + 1; l < R.size(); ++l)
      for (int j = 0; j < R.size(); ++j)
        for (int i = 0; i < R.size(); ++i)
          all.push_back(component(R(i, j, k, l), {i}, {j, k, l},
                                  name(k) + ", " + name(l) + ": " + name(j) + " -> " + name(i),
                                  terms(i, j, k, l)));
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

namespace {
/// The terms are infinite or NaN where the metric is singular. They tell nothing there.
double finite_or_0(double terms) { return std::isfinite(terms) ? terms : 0; }
}  // namespace

/// The components that are greater than the rounding of these terms and of the greatest component. A
/// component that is not finite is kept.
ComponentList::List ComponentList::kept(const All& all, Sizes terms) {
  constexpr double rounding = 1e-12;
  Sizes sizes = greatest(all);
  List list;
  for (const Component& one : all)
    if (!std::isfinite(one.value) ||
        one.size > rounding * std::max({at(sizes, one.power), at(terms, one.power), finite_or_0(one.terms)}))
      list.push_back({one.name, one.value});
  return list;
}

}  // namespace torsor::detail
