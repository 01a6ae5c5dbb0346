#pragma once

#include <Eigen/Core>

#if __FINITE_MATH_ONLY__ || defined(__ASSOCIATIVE_MATH__)
#error Torsor needs NaN, infinity and the given order of sums: compile without -ffast-math and -Ofast
#endif

namespace torsor {

static_assert(!Eigen::Matrix3d::IsRowMajor && std::is_same_v<Eigen::Index, std::ptrdiff_t>,
              "Torsor needs the default storage order and the default index type of Eigen");

/// Whether objects of Eigen have the memory layout and the form of allocation that they have in the compiled
/// library. Both depend on the instruction set and on sanitizers unless these macros of Eigen are defined.
/// Sealed code (TorsorLanes.cmake) shares only types whose layout is always the same, such as Vec3 and Mat3.
inline constexpr bool eigen_fits_library =
#if defined(TORSOR_NATIVE) || defined(TORSOR_SEALED)
    true;
#else
    EIGEN_MAX_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16 && EIGEN_MALLOC_ALREADY_ALIGNED == 0;
#endif

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
