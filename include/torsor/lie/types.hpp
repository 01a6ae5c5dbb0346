#pragma once

#include <Eigen/Core>

namespace torsor {

/// Column vector and matrix of fixed size over a scalar (double, long double, SIMD pack, dual number).
template <class Scalar, int N>
using Vector = Eigen::Matrix<Scalar, N, 1>;
template <class Scalar, int Rows, int Cols = Rows>
using Matrix = Eigen::Matrix<Scalar, Rows, Cols>;

/// Flat vectors of run-time size, and how functions take them (no copy for a segment of a longer vector).
using Vec = Eigen::VectorXd;
using VecIn = const Eigen::Ref<const Vec>&;
using VecOut = Eigen::Ref<Vec>;

using Vec3 = Vector<double, 3>;
using Mat3 = Matrix<double, 3>;

/// State of a system: configuration (nq stored numbers of the group) and left-trivialised velocity (nv).
/// `memory` holds the data that a method keeps from step to step besides q and v (the algorithmic
/// acceleration of generalized-alpha, the last slope of a first-same-as-last pair). If it is empty, the
/// method starts anew at this state. Code that changes q or v must clear `memory`.
struct State {
  Vec q, v;
  Vec memory;
};

}  // namespace torsor
