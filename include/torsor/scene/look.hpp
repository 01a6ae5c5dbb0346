#pragma once

#include <string>
#include <vector>

#include "torsor/lie/se3.hpp"
#include "torsor/lie/types.hpp"

namespace torsor {

/// A solid for drawing a body.
struct Shape {
  enum class Kind {
    ellipsoid,  ///< size: semi-axes
    box,        ///< size: edges
    cylinder,   ///< size: radius, radius of the bore, length along z
  };
  Kind kind = Kind::ellipsoid;
  Vec3 size = Vec3::Ones();        ///< m
  SE3<> X_BS = SE3<>::identity();  ///< frame of the solid in the frame of the body
};

/// How a body is drawn.
struct Look {
  std::vector<Shape> shapes;  ///< empty: a solid with the inertia of the body
  std::string color;          ///< "#rrggbb"; empty: chosen automatically
};

}  // namespace torsor
