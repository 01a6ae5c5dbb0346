#pragma once

#include "torsor/coordinates/coordinate_fields.hpp"
#include "torsor/geometry/strong_friction.hpp"

namespace torsor {

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
      Matrix<S> g = sized(fields->metric(e), e.size(), e.size(), "metric");
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
      Vector<S> f = sized(fields->force(e, u), u.size(), 1, "force");
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
      sized(others, others.rows(), e.size(), "rows");
      const auto d = geometry::frame_derivatives(Coordinates(), e, phi);
      Matrix<S> rows(d[0].size() + others.rows(), e.size());
      for (int j = 0; j < e.size(); ++j) geometry::set_part(rows, 0, j, d[j]);
      geometry::set_part(rows, d[0].size(), 0, others);
      return rows;
    };
  }
  auto rows() const {
    return [all = all_rows()]<class S>(const Vector<S>& e) {
      const Matrix<S> both = all(e);
      return geometry::part_of<Matrix<S>>(both, 0, 0, both.rows(), e.size() - 1);
    };
  }
  auto offset() const {
    return [all = all_rows()]<class S>(const Vector<S>& e) {
      const Matrix<S> both = all(e);
      return geometry::part_of<Vector<S>>(both, 0, e.size() - 1, both.rows(), 1);
    };
  }

  /// The fields at one time, over coordinates, with friction in place of the rows A u = 0. Requires that
  /// there is no phi and that a_0 = 0.
  auto at_time(double t) const {
    const auto at = [t]<class S>(const Vector<S>& q) { return geometry::event<S, N>(q, S(t)); };
    const auto metric_ = [*this, at]<class S>(const Vector<S>& q) {
      const Vector<S> e = at(q);
      return Matrix<S>(
          geometry::event_metric<S, N>(sized(fields->metric(e), e.size(), e.size(), "metric")).g);
    };
    const auto rows_ = [*this, at]<class S>(const Vector<S>& q) { return rows()(at(q)); };
    const auto force = [*this, at]<class S>(const Vector<S>& q, const Vector<S>& v) {
      return covector()(at(q), v);
    };
    const auto friction = [*this, at]<class S>(const Vector<S>& q) {
      const Vector<S> mu = fields->friction(at(q));
      Matrix<S> diagonal = geometry::filled<Matrix<S>>(mu.size(), mu.size(), S(0));
      for (Eigen::Index i = 0; i < mu.size(); ++i) diagonal(i, i) = mu[i];
      return diagonal;
    };
    return geometry::StrongFriction{metric_, rows_, force, friction};
  }

  auto velocities() const {
    return [*this]<class S>(const Vector<S>& e) {
      const auto n = e.size() - 1;
      return Matrix<S>(sized(fields->velocities(e), n, n, "velocities"));
    };
  }
  /// Columns: the vectors of the frame of the quasi-velocities (the columns of B^-1), and time.
  auto basis() const {
    return [*this]<class S>(const Vector<S>& e) {
      const Matrix<S> J = geometry::inverse(velocities()(e));
      return geometry::event_basis<S, N, N>(J, geometry::filled<Vector<S>>(J.rows(), 1, S(0)));
    };
  }
  /// The frame of these vectors on events.
  auto frame() const { return geometry::BasisOver(Coordinates(), basis()); }
  auto metric_in_frame() const {
    return [g = metric(), b = basis()]<class S>(const Vector<S>& e) {
      const Matrix<S> E = b(e);
      return Matrix<S>(geometry::transposed(E) * g(e) * E);
    };
  }
};

}  // namespace torsor
