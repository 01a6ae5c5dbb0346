#pragma once

#include "geometry/reference.hpp"
#include "torsor/geometry/frame.hpp"

/// The generic frame and metric of the reference entry connection.frame3.
namespace torsor::frame3 {

using namespace geometry;

/// Columns are the vectors of the frame in the chart.
inline constexpr auto basis = []<class S>(const Vector<S, 3>& q) {
  const S one(1);
  Matrix<S, 3> E;
  E << one + q[1] * q[1] / S(4), q[0] / S(3), -q[1] / S(4),  //
      q[2] / S(2), one - q[2] / S(4), q[0] * q[2] / S(3),    //
      -q[0] / S(5), q[1] * q[1] / S(6), one + q[0] / S(5);
  return E;
};
/// The metric in the frame.
inline constexpr auto metric = []<class S>(const Vector<S, 3>& q) {
  Matrix<S, 3> g;
  g << S(2) + q[0] * q[0], q[1] / S(3), S(1) / S(10),        //
      q[1] / S(3), S(3) + q[1] * q[2] / S(2), -q[2] / S(4),  //
      S(1) / S(10), -q[2] / S(4), S(5) / S(2) + q[0] / S(4);
  return g;
};
inline const auto frame = BasisOver{CoordinateFrame<3>(), basis};
inline const json& table() { return reference("connection.frame3"); }
inline Vec3 point() { return vector<3>(table().at("q")); }

}  // namespace torsor::frame3
