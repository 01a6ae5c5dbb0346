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

}  // namespace torsor::test
