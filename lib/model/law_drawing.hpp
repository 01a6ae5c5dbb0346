#pragma once

#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/mechanism.hpp"

namespace torsor {

/// The point on its body if its position there is constant; nothing if the position depends on time.
inline std::optional<BodyPoint> still(const MovingPoint& point) {
  if (!point.p[0].is_constant() || !point.p[1].is_constant() || !point.p[2].is_constant())
    return std::nullopt;
  return BodyPoint{point.body, {point.p[0](0), point.p[1](0), point.p[2](0)}};
}

/// A rotation that turns the axis z into a direction, given by a vector of any length.
inline SO3<> frame_along(const Vec3& direction) {
  const Vec3 z = direction.normalized(), x = z.unitOrthogonal();
  Mat3 R;
  R << x, z.cross(x), z;
  return SO3<>::from_matrix(R).normalized();
}

/// The marks and lines by which a replay shows forces and constraints. The page has a picture for each kind
/// of mark and line (lib/io/page/src/glyphs.js and lines.js).
struct LawDrawing {
  struct Mark {
    std::string name;
    std::string_view kind;
    int body;
    SE3<> X;                           ///< on the body
    std::optional<SE3<>> ground = {};  ///< of a joint with the ground: its frame on the ground
  };
  struct Line {
    std::string name;
    std::string_view kind;
    MovingPoint a, b;
  };

  std::string name;  ///< of the marks and lines that are added next
  std::vector<Mark> marks;
  std::vector<Line> lines;
  std::vector<BodyPoint> holds;  ///< points that thin lines join to the mass centre of their body

  void mark(std::string_view kind, int body, const SE3<>& X) { marks.push_back({name, kind, body, X}); }
  /// Marks a point that does not move on its body, and an axis z there.
  void mark(std::string_view kind, const MovingPoint& point, const Vec3& z = Vec3::UnitZ()) {
    if (const auto at = still(point)) mark(kind, at->body, {frame_along(z), at->p});
  }
  void line(std::string_view kind, const MovingPoint& a, const MovingPoint& b) {
    lines.push_back({name, kind, a, b});
  }
  void hold(int body, const Vec3& p) {
    if (body != world) holds.push_back({body, p});
  }
  void hold(const MovingPoint& point) {
    if (const auto at = still(point)) hold(at->body, at->p);
  }
};

}  // namespace torsor
