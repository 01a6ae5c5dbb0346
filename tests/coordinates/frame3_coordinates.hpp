#pragma once

#include "geometry/frame3.hpp"
#include "torsor/coordinates/coordinate_fields.hpp"
#include "torsor/lie/elementary.hpp"

namespace torsor::test {

/// The frame of frame3 as quasi-velocities.
struct Frame3Coordinates : CoordinateFields {
  Frame3Coordinates() : CoordinateFields(3) {}
  template <class S>
  Matrix<S> velocities(const Vector<S>& e) const {
    return inverse(frame3::basis(torsor::Vector<S, 3>(e.template head<3>())));
  }
};

/// Frame3Coordinates with the metric of frame3, written in coordinates.
struct Frame3WithMetric : Frame3Coordinates {
  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    const Matrix<S> B = velocities(e);
    Matrix<S> g = Matrix<S>::Constant(4, 4, S(0));
    g.topLeftCorner(3, 3) = B.transpose() * frame3::metric(torsor::Vector<S, 3>(e.template head<3>())) * B;
    return g;
  }
};

}  // namespace torsor::test
