#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "support/greatest.hpp"
#include "support/reference_file.hpp"
#include "torsor/geometry/tensor.hpp"

/// Entries of tests/reference/theory_checks.json as vectors, matrices and tensors, and comparisons with
/// them.
namespace torsor {

using namespace geometry;

using nlohmann::json;

inline const json& reference(const std::string& id) {
  static const json all = test::reference_file("theory_checks");
  return all.at("checks").at(id);
}

template <int n>
Vector<double, n> vector(const json& entry) {
  Vector<double, n> v(static_cast<int>(entry.size()));
  for (int i = 0; i < v.size(); ++i) v[i] = entry.at(static_cast<std::size_t>(i)).get<double>();
  return v;
}
template <int rows, int cols = rows>
Matrix<double, rows, cols> matrix(const json& entry) {
  Matrix<double, rows, cols> M(static_cast<int>(entry.size()), static_cast<int>(entry.at(0).size()));
  for (int i = 0; i < M.rows(); ++i) {
    const Vector<double, cols> row = vector<cols>(entry.at(static_cast<std::size_t>(i)));
    for (int j = 0; j < M.cols(); ++j) M(i, j) = row[j];
  }
  return M;
}
/// The tensor with components entry[k][i][j].
template <int n>
Tensor3<double, n> tensor3(const json& entry) {
  Tensor3<double, n> t(static_cast<int>(entry.size()));
  for (int k = 0; k < t.size(); ++k) {
    for (int i = 0; i < t.size(); ++i) {
      for (int j = 0; j < t.size(); ++j) {
        t(k, i, j) = entry.at(static_cast<std::size_t>(k))
                         .at(static_cast<std::size_t>(i))
                         .at(static_cast<std::size_t>(j))
                         .get<double>();
      }
    }
  }
  return t;
}
/// The tensor with components entry[i][j][k][l].
template <int n>
Tensor4<double, n> tensor4(const json& entry) {
  Tensor4<double, n> R(static_cast<int>(entry.size()));
  for (int i = 0; i < R.size(); ++i) {
    const Tensor3<double, n> R_i = tensor3<n>(entry.at(static_cast<std::size_t>(i)));
    for (int j = 0; j < R.size(); ++j) {
      for (int k = 0; k < R.size(); ++k) {
        for (int l = 0; l < R.size(); ++l) R(i, j, k, l) = R_i(j, k, l);
      }
    }
  }
  return R;
}

using test::greatest;

/// a - b. For matrices a loop: an expression would be compiled again for each size.
template <class A, class B>
A difference(const A& a, const B& b) {
  return a - b;
}
template <int rows, int cols>
Matrix<double, rows, cols> difference(Matrix<double, rows, cols> a, const Matrix<double, rows, cols>& b) {
  for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] -= b.data()[i];
  return a;
}

/// The greatest difference of two entries, divided by the greatest absolute number of the second entry if
/// that number is not zero. The numbers of one entry share this scale, because a small number next to great
/// ones is only as accurate as the sums that give it. NaN where a number of either entry is not finite.
template <class A, class B>
double deviation(const A& a, const B& b) {
  const double scale = greatest(b);
  return greatest(difference(a, b)) / (scale == 0 ? 1. : scale);
}
template <class A, class B>
bool agree(const A& a, const B& b, double tolerance = 1e-12) {
  return deviation(a, b) < tolerance;
}

inline std::mt19937_64& generator() {
  static std::mt19937_64 engine(20240617);
  return engine;
}
inline double uniform() { return std::uniform_real_distribution<double>(-1, 1)(generator()); }
template <int rows, int cols = rows>
Matrix<double, rows, cols> random_matrix() {
  Matrix<double, rows, cols> M;
  for (Eigen::Index i = 0; i < M.size(); ++i) M.data()[i] = uniform();
  return M;
}
template <int n>
Vector<double, n> random_vector() {
  return random_matrix<n, 1>();
}
/// A random symmetric positive definite matrix.
template <int n>
Matrix<double, n> random_metric() {
  const Matrix<double, n> M = random_matrix<n>();
  return M * M.transpose() + Matrix<double, n>::Identity();
}
template <int n>
Tensor3<double, n> random_tensor3() {
  Tensor3<double, n> t;
  for (double& x : t) x = uniform();
  return t;
}

}  // namespace torsor
