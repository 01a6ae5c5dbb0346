#pragma once

#include "geometry/reference.hpp"
#include "torsor/lie/detail/trigonometry.hpp"

/// The knife edge of the reference entry `sleigh`: q = (x, y, heading) of the contact point, the mass
/// centre ahead of it by the distance a, a spring of force -k x, drag, and friction that varies with x.
namespace torsor::sleigh {

using namespace geometry;

inline const json& table() { return reference("sleigh"); }

struct Parameters {
  double m = table().at("m"), J = table().at("J"), a = table().at("a"), k = table().at("k"),
         drag = table().at("cd");
};

struct Metric {
  Parameters p;
  template <class S>
  Matrix<S, 3> operator()(const Vector<S, 3>& q) const {
    const auto [s, c] = sin_cos(q[2]);
    const S m(p.m), ma(p.m * p.a), zero(0);
    Matrix<S, 3> g;
    g << m, zero, -ma * s, zero, m, ma * c, -ma * s, ma * c, S(p.J + p.m * p.a * p.a);
    return g;
  }
};
struct Rows {
  template <class S>
  Matrix<S, 1, 3> operator()(const Vector<S, 3>& q) const {
    const auto [s, c] = sin_cos(q[2]);
    return Matrix<S, 1, 3>(-s, c, S(0));
  }
};
struct Force {
  Parameters p;
  template <class S>
  Vector<S, 3> operator()(const Vector<S, 3>& q, const Vector<S, 3>& v) const {
    Vector<S, 3> f = S(-p.drag) * v;
    f[0] -= S(p.k) * q[0];
    return f;
  }
};
struct Friction {
  template <class S>
  Matrix<S, 1> operator()(const Vector<S, 3>& q) const {
    return Matrix<S, 1>(S(1.7) * (S(1) + sin_cos(q[0]).sin / S(5)));
  }
};

inline Vec3 point() { return vector<3>(table().at("q")); }
inline Vec3 velocity() { return vector<3>(table().at("u")); }

}  // namespace torsor::sleigh
