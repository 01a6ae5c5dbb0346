#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

/// Tests compare numbers by the greatest absolute value of a quantity that should be small (or large).
namespace torsor::test {

/// The greatest absolute value among numbers, vectors, matrices and tensors. It is NaN where any number is
/// NaN or infinite, and every comparison with NaN is false. Eigen's maxCoeff and lpNorm<Infinity>, std::max
/// and std::fmax can drop NaN instead, so tests do not call them on results.
inline double greatest(double x) {
  return std::isfinite(x) ? std::abs(x) : std::numeric_limits<double>::quiet_NaN();
}
template <class Number>
double greatest(const Number* first, const Number* last) {
  double most = 0;
  for (; first != last && !std::isnan(most); ++first) {
    const double x = greatest(static_cast<double>(*first));
    if (!(x <= most)) most = x;
  }
  return most;
}
template <class M>
double greatest(const Eigen::DenseBase<M>& values) {
  const auto& plain = values.derived().eval();
  return greatest(plain.data(), plain.data() + plain.size());
}
template <class Tensor>
requires requires(const Tensor& t) { t.flat(); }
double greatest(const Tensor& t) { return greatest(t.flat().data(), t.flat().data() + t.flat().size()); }

template <class First, class... Others>
requires(sizeof...(Others) > 0) double greatest(const First& first, const Others&... others) {
  const double a = greatest(first), b = greatest(others...);
  return std::isnan(a) || a > b ? a : b;
}

}  // namespace torsor::test
