#pragma once

#include <string>
#include <utility>
#include <vector>

#include "torsor/geometry/event_metric.hpp"
#include "torsor/geometry/frame.hpp"
#include "torsor/lie/status.hpp"

namespace torsor {

/// A mechanical system in coordinates, as fields over events e = (q, t), with time as the last coordinate
/// (event_metric.hpp), for any scalar type S. This class has the defaults. A system derives from it and hides
/// the functions that it defines itself. Functions of S, such as sin, are in lie/elementary.hpp:
///
///   metric(e)      [g g_0; g_0^T g_00], (n+1) x (n+1): the kinetic energy is (u, 1)^T metric (u, 1) / 2 for
///                  the rates u = q'; g_0 and g_00 vanish if the positions depend on q alone. Only
///                  a LagrangianSystem may keep the default, which is 0
///   potential(e)   U, J; its force is -dU
///   lagrangian(e, u)
///                  L, J, of a LagrangianSystem, in place of metric and potential. No default
///   force(e, u)    all other applied forces, a covector of n components; its power is f . u
///   velocities(e)  B, n x n, invertible: the quasi-velocities are B u
///   positions(e)   phi of the holonomic rows phi(q, t) = 0
///   rows(e)        [A a_0], k x (n+1), of the rows A u + a_0 = 0
///   friction(e)    mu, k values, one for each row of rows(e), N s/m if the row is a velocity in m/s.
///                  Treatment::viscous replaces these rows by friction
///   row_names()    names of the rows of positions(e), then of rows(e), for messages; numbers if empty
///   depends_on_time()
///                  whether one of the functions above may depend on t; by default it may. The slow manifold
///                  of friction is reported only if none does
///
/// The following functions are used only by equations of motion from a connection (CoordinateEquations).
/// Components are taken in the frame of the connection on events. An empty value adds nothing:
///   vectors(e)     that frame, n x n, its vectors in columns; empty: the frame of the quasi-velocities
///   vector_names() names of the vectors and of time, for messages
///   affinities(e)  L(k, i, j), added to the affinities of the connection that CoordinateEquations names
///   sigma(e)       s(a, i, j) = -s(a, j, i), adds g^-1(k, j) s(a, i, j) to L(k, i, a)
///                  (geometry::weak_member)
///
/// A value of another size ends the evaluation with an EvaluationError (callback_failed).
///
///   struct Disc : CoordinateFields {
///     Disc() : CoordinateFields(2) {}
///     template <class S>
///     CoordinateFields::Matrix<S> metric(const CoordinateFields::Vector<S>& e) const { ... }
///   };
class CoordinateFields {
 public:
  template <class S>
  using Vector = torsor::Vector<S, Eigen::Dynamic>;
  template <class S>
  using Matrix = torsor::Matrix<S, Eigen::Dynamic>;
  template <class S>
  using Tensor3 = geometry::Tensor3<S, Eigen::Dynamic>;

  explicit CoordinateFields(int n) : n_(n) {}
  int size() const { return n_; }  ///< n

  template <class S>
  Matrix<S> metric(const Vector<S>&) const {
    return geometry::filled<Matrix<S>>(n_ + 1, n_ + 1, S(0));
  }
  template <class S>
  S potential(const Vector<S>&) const {
    return S(0);
  }
  template <class S>
  Vector<S> force(const Vector<S>&, const Vector<S>&) const {
    return geometry::filled<Vector<S>>(n_, 1, S(0));
  }
  template <class S>
  Matrix<S> velocities(const Vector<S>&) const {
    return geometry::identity<Matrix<S>>(n_);
  }
  template <class S>
  Vector<S> positions(const Vector<S>&) const {
    return Vector<S>(0);
  }
  template <class S>
  Matrix<S> rows(const Vector<S>&) const {
    return Matrix<S>(0, n_ + 1);
  }
  template <class S>
  Vector<S> friction(const Vector<S>&) const {
    return Vector<S>(0);
  }
  std::vector<std::string> row_names() const { return {}; }
  bool depends_on_time() const { return true; }
  template <class S>
  Matrix<S> vectors(const Vector<S>&) const {
    return Matrix<S>(0, 0);
  }
  template <class S>
  Tensor3<S> affinities(const Vector<S>&) const {
    return Tensor3<S>(0);
  }
  template <class S>
  Tensor3<S> sigma(const Vector<S>&) const {
    return Tensor3<S>(0);
  }
  std::vector<std::string> vector_names() const { return {}; }

 private:
  int n_;
};

/// The value of a field, which must have this size.
template <class Value>
Value&& sized(Value&& value, Eigen::Index rows, Eigen::Index columns, const char* field) {
  const auto size = [](Eigen::Index m, Eigen::Index n) {
    return std::to_string(m) + " x " + std::to_string(n);
  };
  if (value.rows() != rows || value.cols() != columns)
    throw EvaluationError(StepStatus::callback_failed, "the value of the field \"" + std::string(field) +
                                                           "\" has " + size(value.rows(), value.cols()) +
                                                           " components instead of " + size(rows, columns));
  return std::forward<Value>(value);
}

/// The metric on events of particles at the positions x_p(q, t): the sum of m_p dx_p . dx_p, with the blocks
/// g, g_0 and g_00. `places` gives all coordinates of all particles in one vector, `masses` the mass that
/// belongs to each of these coordinates. Paraskevopoulos, Natsiavas, equations of motion for mechanical
/// systems subject to acatastatic constraints, (64)-(69).
template <class S, class Places>
CoordinateFields::Matrix<S> induced_event_metric(const Places& places, const Vec& masses,
                                                 const CoordinateFields::Vector<S>& e) {
  const auto columns = geometry::frame_derivatives(geometry::CoordinateFrame<Eigen::Dynamic>(), e, places);
  CoordinateFields::Matrix<S> J(masses.size(), e.size());
  for (int j = 0; j < e.size(); ++j) geometry::set_part(J, 0, j, columns[j]);
  CoordinateFields::Matrix<S> MJ = J;
  for (int j = 0; j < e.size(); ++j)
    for (Eigen::Index i = 0; i < masses.size(); ++i) MJ(i, j) = S(masses[i]) * J(i, j);
  return geometry::transposed(J) * MJ;
}

}  // namespace torsor
