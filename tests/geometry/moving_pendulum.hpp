#pragma once

#include "geometry/reference.hpp"
#include "torsor/geometry/event_manifold.hpp"
#include "torsor/lie/detail/trigonometry.hpp"

/// A spherical pendulum of length L on a pivot at x3 = amplitude cos(omega t), with the angle theta[0] from
/// the x3 axis. Events are (theta, t); events in space are (x, t).
namespace torsor::moving_pendulum {

using namespace geometry;

struct Parameters {
  explicit Parameters(const json& table)
      : m(table.at("mass")),
        L(table.at("length")),
        amplitude(table.at("amplitude")),
        omega(table.at("omega")) {}
  double m, L, amplitude, omega;

  template <class S>
  S height(const S& t) const {
    return S(amplitude) * sin_cos(S(omega) * t).cos;
  }
  template <class S>
  S height_rate(const S& t) const {
    return S(-amplitude * omega) * sin_cos(S(omega) * t).sin;
  }
};

struct Position {
  Parameters p;
  template <class S>
  Vector<S, 3> operator()(const Vector<S, 3>& at) const {
    const auto [s1, c1] = sin_cos(at[0]);
    const auto [s2, c2] = sin_cos(at[1]);
    const S L(p.L);
    return Vector<S, 3>(L * s1 * c2, L * s1 * s2, L * c1 + p.height(at[2]));
  }
};

/// The metric on events in space: m for the space directions, g00 for time.
inline auto free_particle(double m, double g00) {
  return Constant<Matrix<double, 4>>{Vector<double, 4>(m, m, m, g00).asDiagonal()};
}
inline auto flat() { return Connection{CoordinateFrame<4>(), Constant<Tensor3<double, 4>>{}}; }

}  // namespace torsor::moving_pendulum
