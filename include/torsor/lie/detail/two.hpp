#pragma once

namespace torsor {

/// Two numbers side by side. For doubles, one instruction computes both, with the same bits as two
/// instructions.
template <class Scalar>
struct TwoOf {
  struct type {
    Scalar first, second;
    const Scalar& operator[](int i) const { return i == 0 ? first : second; }
    friend type operator+(const type& a, const type& b) { return {a.first + b.first, a.second + b.second}; }
    friend type operator-(const type& a, const type& b) { return {a.first - b.first, a.second - b.second}; }
    friend type operator*(const type& a, const type& b) { return {a.first * b.first, a.second * b.second}; }
  };
};
template <>
struct TwoOf<double> {
  using type [[gnu::vector_size(16)]] = double;
};
template <class Scalar>
using Two = typename TwoOf<Scalar>::type;

}  // namespace torsor
