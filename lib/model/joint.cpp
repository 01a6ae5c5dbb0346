#include "torsor/model/mechanism.hpp"

namespace torsor {

int coordinate_count(JointKind kind) {
  switch (kind) {
    case JointKind::spherical:
      return 4;
    case JointKind::free:
      return 7;
    default:
      return freedom_count(kind);
  }
}

int freedom_count(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return 0;
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::helical:
      return 1;
    case JointKind::cylindrical:
    case JointKind::universal:
      return 2;
    case JointKind::planar:
    case JointKind::spherical:
    case JointKind::translation:
      return 3;
    case JointKind::free:
      return 6;
  }
  return 0;
}

}  // namespace torsor
