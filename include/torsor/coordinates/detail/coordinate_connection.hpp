#pragma once

#include "torsor/coordinates/detail/geometry_of_fields.hpp"
#include "torsor/coordinates/system_in_coordinates.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/compatibility.hpp"

namespace torsor {

/// A connection of a system in coordinates by its affinities in a frame on events: those of `start`, plus
/// those of the fields if `with_own`. The frame has the vectors of the fields, or else those of the
/// quasi-velocities.
template <class Fields>
struct CoordinateAffinities {
  static constexpr int N = Eigen::Dynamic;
  template <class S>
  using Tensor = geometry::Tensor3<S, N>;
  using Coordinates = geometry::CoordinateFrame<N>;

  CoordinateGeometry<Fields> geometry;
  CoordinateEquations start = CoordinateEquations::christoffel;
  bool with_own = true;

  /// B: the velocity in the frame is B u.
  auto velocities() const {
    return [*this]<class S>(const Vector<S, N>& e) {
      const Matrix<S, N> own = own_vectors(e);
      return own.size() > 0 ? Matrix<S, N>(geometry::inverse(own)) : geometry.velocities()(e);
    };
  }
  /// The vectors of the frame and time, in columns.
  auto basis() const {
    return [*this]<class S>(const Vector<S, N>& e) {
      const Matrix<S, N> own = own_vectors(e);
      const Matrix<S, N> J = own.size() > 0 ? own : Matrix<S, N>(geometry::inverse(geometry.velocities()(e)));
      return geometry::event_basis<S, N, N>(J, geometry::filled<Vector<S, N>>(J.rows(), 1, S(0)));
    };
  }
  auto frame() const { return geometry::BasisOver(Coordinates(), basis()); }
  auto metric() const {
    return [g = geometry.metric(), b = basis()]<class S>(const Vector<S, N>& e) {
      const Matrix<S, N> E = b(e);
      return Matrix<S, N>(geometry::transposed(E) * g(e) * E);
    };
  }

  /// The rates along the vectors of the frame (affinities_at.hpp).
  Vec rates_of_terms(const Vec& e) const { return torsor::rates_of_terms(e, basis()(e)); }

  /// Whether the fields add nothing.
  bool is_plain() const {
    const Vec e = Vec::Zero(geometry.fields->size() + 1);
    return !with_own || (geometry.fields->affinities(e).size() == 0 && geometry.fields->sigma(e).size() == 0);
  }

  template <class S>
  Tensor<S> operator()(const Vector<S, N>& e) const {
    return with_additions(e, start_at(e));
  }
  /// The affinities of this connection and those of the Christoffel connection.
  AffinitiesAt with_strong(const Vec& e) const {
    const auto frame_ = frame();
    const auto metric_ = metric();
    const Tensor<double> c = frame_.structure_coefficients(e);
    const Eigen::MatrixXd g = metric_(e);
    const Tensor<double> strong =
        geometry::christoffel_symbols<double, N>(g, geometry::frame_derivatives(frame_, e, metric_), c);
    const bool christoffel = start == CoordinateEquations::christoffel;
    return {with_additions(e, christoffel ? strong : start_from(c)), strong, g,
            geometry.fields->vector_names(), rates_of_terms(e)};
  }

 private:
  /// The vectors of the fields; empty if there are none.
  template <class S>
  Matrix<S, N> own_vectors(const Vector<S, N>& e) const {
    const auto n = e.size() - 1;
    Matrix<S, N> own = geometry.fields->vectors(e);
    if (own.size() > 0) sized(own, n, n, "vectors");
    return own;
  }
  template <class S>
  Tensor<S> with_additions(const Vector<S, N>& e, Tensor<S> L) const {
    if (!with_own) return L;
    const auto n = e.size();
    const Tensor<S> own = geometry.fields->affinities(e), sigma = geometry.fields->sigma(e);
    if (own.size() > 0) sized(own.columns(), n, n * n, "affinities"), L += own;
    if (sigma.size() == 0) return L;
    sized(sigma.columns(), n, n * n, "sigma");
    return geometry::weak_member(L, metric()(e), sigma);
  }
  template <class S>
  Tensor<S> start_at(const Vector<S, N>& e) const {
    if (start == CoordinateEquations::canonical_minus) return Tensor<S>(static_cast<int>(e.size()));
    if (start == CoordinateEquations::christoffel)
      return geometry::christoffel(frame(), metric()).affinities(e);
    return start_from(Tensor<S>(frame().structure_coefficients(e)));
  }
  template <class S>
  Tensor<S> start_from(const Tensor<S>& c) const {
    return start == CoordinateEquations::canonical_plus   ? c
           : start == CoordinateEquations::canonical_zero ? S(0.5) * c
                                                          : Tensor<S>(c.size());
  }
};

template <class Fields>
auto connection_of(const CoordinateAffinities<Fields>& affinities) {
  return geometry::Connection{affinities.frame(), affinities};
}

}  // namespace torsor
