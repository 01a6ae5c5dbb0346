#pragma once

#include <array>

#include "torsor/lie/se2.hpp"
#include "torsor/lie/se3.hpp"

namespace torsor::python {

/// In Python a quaternion has its scalar first, as in all results; in the library its scalar is last.
template <class G>
struct Stored {
  static constexpr int quaternion = -1;  ///< its place; -1: none
};
template <>
struct Stored<SO3<>> {
  static constexpr int quaternion = 0;
};
template <>
struct Stored<SE3<>> {
  static constexpr int quaternion = 3;
};

/// The place in Python of component i of an element.
template <class G>
constexpr int place(int i) {
  constexpr int begin = Stored<G>::quaternion;
  return begin < 0 || i < begin ? i : begin + (i - begin + 1) % 4;
}

template <class G>
G element(const double* from) {
  std::array<double, G::nq> q;
  for (int i = 0; i < G::nq; ++i) q[static_cast<std::size_t>(i)] = from[place<G>(i)];
  return G::from(q.data());
}
template <class G>
void put(const G& g, double* into) {
  std::array<double, G::nq> q;
  g.to(q.data());
  for (int i = 0; i < G::nq; ++i) into[place<G>(i)] = q[static_cast<std::size_t>(i)];
}
template <int n>
Vector<double, n> vector(const double* from) {
  return Eigen::Map<const Vector<double, n>>(from);
}
template <class Values>
void put_values(const Values& values, double* into) {
  for (Eigen::Index i = 0; i < values.rows(); ++i)  // matrices by rows, as in NumPy
    for (Eigen::Index j = 0; j < values.cols(); ++j) *into++ = values(i, j);
}

}  // namespace torsor::python
