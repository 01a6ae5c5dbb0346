#pragma once

#include <string>
#include <vector>

#include "torsor/lie/se3.hpp"
#include "torsor/lie/types.hpp"

namespace torsor {

/// A solid that pictures show.
struct Shape {
  enum class Kind {
    ellipsoid,  ///< size: semi-axes
    box,        ///< size: edges
    cylinder,   ///< size: radius, radius of the bore, length along z
  };
  Kind kind = Kind::ellipsoid;
  Vec3 size = Vec3::Ones();        ///< m
  SE3<> X_BS = SE3<>::identity();  ///< its frame in that of the body
};

/// How a body is drawn.
struct Look {
  std::vector<Shape> shapes;  ///< none: the solid of its inertia
  std::string color;          ///< "#rrggbb"; empty: one is chosen
};

}  // namespace torsor
