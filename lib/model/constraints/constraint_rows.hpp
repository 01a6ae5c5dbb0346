#pragma once

#include <cmath>
#include <vector>

#include "torsor/model/workspace.hpp"

namespace torsor::constraint {

// The parts of constraint rows: bodies and points at one instant, and rows on the relative motion of two
// bodies. All in world axes.

using Vector3 = spatial::Vec3<double>;
using Matrix3 = spatial::Mat3<double>;

inline double norm(const Vector3& a) { return std::sqrt(dot(a, a)); }

/// A body that a constraint acts on: its link, and the index of its block among those of the constraint.
struct BodyRef {
  int link = world, slot = -1;
};

struct BodyAt {
  Matrix3 R = Matrix3::identity();
  Vector3 p, v, w;
};

inline BodyAt body_at(const BodyRef& body, const Workspace<double>& work) {
  if (body.link == world) return {};
  return {Matrix3(work.R_WB[body.link]), Vector3(work.p_WB[body.link]), Vector3(work.v_WB[body.link]),
          Vector3(work.w_WB[body.link])};
}

/// The memory for the rows of a constraint: pointers to the numbers of its first row, and to its blocks.
struct RowSink {
  double *phi, *a0, *gamma, *J;
  int rows;

  double* at(const BodyRef& body, int row) const { return J + 6 * (rows * body.slot + row); }
  void put(const BodyRef& body, int row, const Vector3& lin, const Vector3& ang) const {
    if (body.link == world) return;
    lin.to(at(body, row)), ang.to(at(body, row) + 3);
  }
  /// Adds `scale` times (lin, ang) to the row.
  void add(const BodyRef& body, int row, double scale, const Vector3& lin, const Vector3& ang) const {
    if (body.link == world) return;
    double* const to = at(body, row);
    to[0] += scale * lin.x, to[1] += scale * lin.y, to[2] += scale * lin.z;
    to[3] += scale * ang.x, to[4] += scale * ang.y, to[5] += scale * ang.z;
  }
};

/// A point of a body: position x, `arm` from the mass centre to the point, velocity v, and a, the
/// acceleration of the point if the linear and angular accelerations of the body are zero. `own` is the part
/// of v due to the law of the point.
struct PointAt {
  Vector3 x, arm, v, a, own;
};

inline PointAt point_at(const BodyAt& body, const Vector3& p) {
  const Vector3 arm = body.R * p;
  return {body.p + arm, arm, body.v + cross(body.w, arm), centripetal(body.w, arm), {}};
}

PointAt point_at(const BodyAt& body, const TimeVec3& law, double t);

/// A row on the motion of C relative to P, with the velocities v of the mass centres:
///   phi' = lin . (v_C - v_P) + ang_C . w_C + ang_P . w_P + a0.
/// gamma: phi'' without the terms in the accelerations v' and w'.
struct PairRow {
  double phi = 0, gamma = 0, a0 = 0;
  Vector3 lin, ang_C, ang_P;
};

inline void put(const RowSink& out, int row, const BodyRef& P, const BodyRef& C, const PairRow& r) {
  out.phi[row] = r.phi, out.a0[row] = r.a0, out.gamma[row] = r.gamma;
  out.put(C, row, r.lin, r.ang_C);
  out.put(P, row, -r.lin, r.ang_P);
}

/// The position e . d of a point of C relative to an origin on P, where the axes e are fixed in P and d leads
/// from the origin to the point. With d'' = a_C - a_P,
///   (e . d)'' = e . (d'' - 2 w x d' + w x (w x d)) + e . (d x w'),   w of P.
class RelativePosition {
 public:
  RelativePosition(const BodyAt& P, const PointAt& origin, const PointAt& point)
      : d_(point.x - origin.x),
        arm_C_(point.arm),
        lever_P_(origin.arm + d_),
        bias_(point.a - origin.a - 2. * cross(P.w, point.v - origin.v) + centripetal(P.w, d_)) {}

  /// For points without laws: a0 is 0.
  PairRow along(const Vector3& e) const {
    return {dot(e, d_), dot(e, bias_), 0, e, cross(arm_C_, e), cross(e, lever_P_)};
  }

 private:
  Vector3 d_, arm_C_, lever_P_, bias_;
};

/// Row on the relative rotation alone: phi' = direction . (w_C - w_P).
inline PairRow turning(double phi, double gamma, const Vector3& direction) {
  return {phi, gamma, 0, {}, direction, -direction};
}

}  // namespace torsor::constraint
