#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "torsor/geometry/detail/entries.hpp"
#include "torsor/lie/scalar.hpp"
#include "torsor/lie/types.hpp"

namespace torsor::geometry {

/// The n^order components of a tensor, or connection or structure coefficients, which add and scale like
/// tensor components. With a fixed N they are stored without heap memory; with N = Eigen::Dynamic the
/// constructor gets n. All are initially zero.
template <class Derived, class S, int N, int order>
class TensorBase {
  static constexpr std::size_t power(std::size_t n) {
    std::size_t count = 1;
    for (int k = 0; k < order; ++k) count *= n;
    return count;
  }
  static constexpr bool is_fixed = N != Eigen::Dynamic;
  using Storage =
      std::conditional_t<is_fixed, std::array<S, power(is_fixed ? std::size_t(N) : 0)>, std::vector<S>>;

 public:
  using Scalar = S;
  using Square = Matrix<S, N>;
  static constexpr int dimension = N;

  int size() const { return size_; }
  /// All components in the order of storage.
  auto flat() { return Eigen::Map<Eigen::Array<S, Eigen::Dynamic, 1>>(data_.data(), count()); }
  auto flat() const { return Eigen::Map<const Eigen::Array<S, Eigen::Dynamic, 1>>(data_.data(), count()); }

  auto begin() { return data_.begin(); }
  auto begin() const { return data_.begin(); }
  auto end() { return data_.end(); }
  auto end() const { return data_.end(); }

  Derived& operator+=(const Derived& other) {
    assert(size_ == other.size_);
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] += other.data_[i];
    return self();
  }
  Derived& operator-=(const Derived& other) {
    assert(size_ == other.size_);
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] -= other.data_[i];
    return self();
  }
  Derived& operator*=(const S& factor) {
    for (S& component : data_) component *= factor;
    return self();
  }
  friend Derived operator+(Derived a, const Derived& b) { return a += b; }
  friend Derived operator-(Derived a, const Derived& b) { return a -= b; }
  friend Derived operator*(const S& factor, Derived a) { return a *= factor; }

 protected:
  explicit TensorBase(int n) : size_(n) {
    assert(n >= 0 && (!is_fixed || n == N));
    if constexpr (is_fixed)
      data_.fill(S(0));
    else
      data_.assign(power(static_cast<std::size_t>(n)), S(0));
  }
  S* at(int place) { return data_.data() + place; }
  const S* at(int place) const { return data_.data() + place; }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  Eigen::Index count() const { return static_cast<Eigen::Index>(data_.size()); }

  Storage data_;
  int size_;
};

/// t(k, i, j) with the upper index k. The first lower index i is a direction, as in
/// nabla_{e_i} e_j = L(k, i, j) e_k and [e_i, e_j] = c(k, i, j) e_k. For each i the matrix (k, j) is
/// contiguous in memory: along(i). A tensor with three lower indices, such as
/// D(k, i, j) = (nabla_{e_k} g)(e_i, e_j), has its direction first.
template <class S, int N>
class Tensor3 : public TensorBase<Tensor3<S, N>, S, N, 3> {
  using Base = TensorBase<Tensor3<S, N>, S, N, 3>;
  using Columns = Matrix<S, N, N == Eigen::Dynamic ? Eigen::Dynamic : N * N>;

 public:
  using typename Base::Square;
  Tensor3() : Base(std::max(N, 0)) {}
  explicit Tensor3(int n) : Base(n) {}

  S& operator()(int k, int i, int j) { return *this->at(k + n() * (j + n() * i)); }
  const S& operator()(int k, int i, int j) const { return *this->at(k + n() * (j + n() * i)); }

  /// The matrix (k, j) of direction e_i: for a connection nabla_{e_i} e_j, for structure coefficients ad.
  auto along(int i) { return Eigen::Map<Square>(this->at(n() * n() * i), n(), n()); }
  auto along(int i) const { return Eigen::Map<const Square>(this->at(n() * n() * i), n(), n()); }
  /// The matrix (k, j) of direction v: v^i t(k, i, j).
  Square along(const Vector<S, N>& v) const {
    Square sum = filled<Square>(n(), n(), S(0));
    for (int i = 0; i < n(); ++i) {
      for (int place = 0; place < n() * n(); ++place)
        sum.data()[place] += v[i] * *this->at(n() * n() * i + place);
    }
    return sum;
  }
  /// The vectors t(., i, j) side by side, n x n^2.
  auto columns() { return Eigen::Map<Columns>(this->at(0), n(), n() * n()); }
  auto columns() const { return Eigen::Map<const Columns>(this->at(0), n(), n() * n()); }
  /// t(k, i, j) v^i u^j.
  Vector<S, N> operator()(const Vector<S, N>& v, const Vector<S, N>& u) const { return along(v) * u; }

  /// The tensor of the values f(component), over the scalar T.
  template <class T, class Function>
  Tensor3<T, N> of_components(const Function& f) const {
    Tensor3<T, N> values(n());
    std::transform(this->begin(), this->end(), values.begin(), f);
    return values;
  }
  template <class T>
  Tensor3<T, N> cast() const {
    return of_components<T>([](const S& component) { return T(component); });
  }

 private:
  int n() const { return N == Eigen::Dynamic ? this->size() : N; }
};

/// R(i, j, k, l), defined by R(e_k, e_l) e_j = R(i, j, k, l) e_i. For each pair of directions (k, l) the
/// matrix (i, j) is contiguous in memory: along(k, l).
template <class S, int N>
class Tensor4 : public TensorBase<Tensor4<S, N>, S, N, 4> {
  using Base = TensorBase<Tensor4<S, N>, S, N, 4>;

 public:
  using typename Base::Square;
  Tensor4() : Base(std::max(N, 0)) {}
  explicit Tensor4(int n) : Base(n) {}

  S& operator()(int i, int j, int k, int l) { return *this->at(i + n() * (j + n() * (l + n() * k))); }
  const S& operator()(int i, int j, int k, int l) const {
    return *this->at(i + n() * (j + n() * (l + n() * k)));
  }

  /// The matrix (i, j) of R(e_k, e_l).
  auto along(int k, int l) { return Eigen::Map<Square>(this->at(n() * n() * (l + n() * k)), n(), n()); }
  auto along(int k, int l) const {
    return Eigen::Map<const Square>(this->at(n() * n() * (l + n() * k)), n(), n());
  }

  /// The tensor of the values f(component), over the scalar T.
  template <class T, class Function>
  Tensor4<T, N> of_components(const Function& f) const {
    Tensor4<T, N> values(n());
    std::transform(this->begin(), this->end(), values.begin(), f);
    return values;
  }
  template <class T>
  Tensor4<T, N> cast() const {
    return of_components<T>([](const S& component) { return T(component); });
  }

 private:
  int n() const { return N == Eigen::Dynamic ? this->size() : N; }
};

}  // namespace torsor::geometry
