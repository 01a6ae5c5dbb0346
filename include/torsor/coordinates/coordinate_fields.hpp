#pragma once

#include "torsor/geometry/event_metric.hpp"
#include "torsor/geometry/frame.hpp"
#include "torsor/geometry/strong_friction.hpp"

namespace torsor {

/// A mechanical system in coordinates, as fields over events e = (q, t), with time as the last coordinate
/// (event_metric.hpp), for any scalar type S. This class has the defaults. A system derives from it and hides
/// the functions that it defines itself:
///
///   metric(e)      [g g_0; g_0^T g_00], (n+1) x (n+1): the kinetic energy is (u, 1)^T metric (u, 1) / 2 for
///                  the rates u = q'; g_0 and g_00 vanish where the coordinates do not move. 0 for a
///                  LagrangianSystem only
///   potential(e)   U, J; its force is -dU
///   lagrangian(e, u)
///                  L, J, of a LagrangianSystem, in place of metric and potential. No default
///   force(e, u)    all other applied forces, a covector of n components; its power is f . u
///   velocities(e)  B, n x n, regular: the quasi-velocities are B u
///   positions(e)   phi of the holonomic rows phi(q, t) = 0
///   rows(e)        [A a_0], k x (n+1), of the rows A u + a_0 = 0
///   friction(e)    mu, k values, one for each row of rows(e), N s/m if the row is a velocity in m/s.
///                  Treatment::viscous replaces these rows by friction
///
/// Of a connection in use (CoordinateEquations), in its frame on events; empty: none:
///   vectors(e)     that frame, n x n, its vectors in columns; empty: that of the quasi-velocities
///   affinities(e)  L(k, i, j), added to those at which the connection starts
///   sigma(e)       s(a, i, j) = -s(a, j, i), adds g^-1(k, j) s(a, i, j) to L(k, i, a) (geometry::weak_member)
///
///   struct Disc : CoordinateFields {
///     Disc() : CoordinateFields(2) {}
///     template <class S> CoordinateFields::Matrix<S> metric(const CoordinateFields::Vector<S>& e) const { ... }
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
    return Matrix<S>::Constant(n_ + 1, n_ + 1, S(0));
  }
  template <class S>
  S potential(const Vector<S>&) const {
    return S(0);
  }
  template <class S>
  Vector<S> force(const Vector<S>&, const Vector<S>&) const {
    return Vector<S>::Constant(n_, S(0));
  }
  template <class S>
  Matrix<S> velocities(const Vector<S>&) const {
    return Matrix<S>::Identity(n_, n_);
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

 private:
  int n_;
};

/// The metric on events of particles at the positions x_p(q, t): the sum of m_p dx_p . dx_p, with the blocks
/// g, g_0 and g_00. `places` gives all coordinates of all particles in one vector, `masses` one mass for each
/// of these. Paraskevopoulos, Natsiavas, equations of motion for mechanical systems subject to acatastatic
/// constraints, (64)-(69).
template <class S, class Places>
CoordinateFields::Matrix<S> induced_event_metric(const Places& places, const Vec& masses,
                                                 const CoordinateFields::Vector<S>& e) {
  const auto columns = geometry::frame_derivatives(geometry::CoordinateFrame<Eigen::Dynamic>(), e, places);
  CoordinateFields::Matrix<S> J(masses.size(), e.size());
  for (int i = 0; i < e.size(); ++i) J.col(i) = columns[i];
  const CoordinateFields::Matrix<S> MJ = masses.cast<S>().asDiagonal() * J;
  return J.transpose() * MJ;
}

/// The fields as the callables that geometry/ takes. `time_metric`, J, is added to g_00: the metric of time
/// itself, which does not influence the motion.
template <class Fields>
struct CoordinateGeometry {
  static constexpr int N = Eigen::Dynamic;
  template <class S>
  using Vector = CoordinateFields::Vector<S>;
  template <class S>
  using Matrix = CoordinateFields::Matrix<S>;
  using Coordinates = geometry::CoordinateFrame<N>;

  const Fields* fields;
  double time_metric = 1;

  auto metric() const {
    return [*this]<class S>(const Vector<S>& e) {
      Matrix<S> g = fields->metric(e);
      g(g.rows() - 1, g.cols() - 1) += S(time_metric);
      return g;
    };
  }
  auto potential() const {
    return [*this]<class S>(const Vector<S>& e) { return S(fields->potential(e)); };
  }
  /// f - dU.
  auto covector() const {
    return [*this]<class S>(const Vector<S>& e, const Vector<S>& u) {
      Vector<S> f = fields->force(e, u);
      const auto dU = geometry::frame_derivatives(Coordinates(), e, potential());
      for (int i = 0; i < f.size(); ++i) f[i] -= dU[i];
      return f;
    };
  }

  /// [A a_0] of all rows, d(phi) first.
  auto all_rows() const {
    return [*this]<class S>(const Vector<S>& e) {
      const auto phi = [*this]<class T>(const Vector<T>& at) { return Vector<T>(fields->positions(at)); };
      const Matrix<S> others = fields->rows(e);
      const auto d = geometry::frame_derivatives(Coordinates(), e, phi);
      Matrix<S> rows(d[0].size() + others.rows(), e.size());
      for (int j = 0; j < e.size(); ++j) rows.col(j) << d[j], others.col(j);
      return rows;
    };
  }
  auto rows() const {
    return [all = all_rows()]<class S>(const Vector<S>& e) {
      const Matrix<S> both = all(e);
      return Matrix<S>(both.leftCols(e.size() - 1));
    };
  }
  auto offset() const {
    return [all = all_rows()]<class S>(const Vector<S>& e) {
      const Matrix<S> both = all(e);
      return Vector<S>(both.col(e.size() - 1));
    };
  }

  /// The fields at one time, over coordinates, with friction in place of the rows A u = 0. Requires that
  /// there is no phi and that a_0 = 0.
  auto at_time(double t) const {
    const auto at = [t]<class S>(const Vector<S>& q) { return geometry::event<S, N>(q, S(t)); };
    const auto metric_ = [*this, at]<class S>(const Vector<S>& q) {
      return Matrix<S>(geometry::event_metric<S, N>(fields->metric(at(q))).g);
    };
    const auto rows_ = [*this, at]<class S>(const Vector<S>& q) { return rows()(at(q)); };
    const auto force = [*this, at]<class S>(const Vector<S>& q, const Vector<S>& v) {
      return covector()(at(q), v);
    };
    const auto friction = [*this, at]<class S>(const Vector<S>& q) {
      return Matrix<S>(Vector<S>(fields->friction(at(q))).asDiagonal());
    };
    return geometry::StrongFriction{metric_, rows_, force, friction};
  }

  auto velocities() const {
    return [*this]<class S>(const Vector<S>& e) { return Matrix<S>(fields->velocities(e)); };
  }
  /// Columns: the vectors of the frame of the quasi-velocities (the columns of B^-1), and time.
  auto basis() const {
    return [*this]<class S>(const Vector<S>& e) {
      const Matrix<S> J = geometry::inverse(Matrix<S>(fields->velocities(e)));
      return geometry::event_basis<S, N, N>(J, Vector<S>::Constant(J.rows(), S(0)));
    };
  }
  /// The frame of these vectors on events.
  auto frame() const { return geometry::BasisOver(Coordinates(), basis()); }
  auto metric_in_frame() const {
    return [g = metric(), b = basis()]<class S>(const Vector<S>& e) {
      const Matrix<S> E = b(e);
      return Matrix<S>(E.transpose() * g(e) * E);
    };
  }
};

}  // namespace torsor
