#include <doctest/doctest.h>

#include "torsor/integrators/integrate.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/lie/pack.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;

namespace {

/// Euler's equations with a torque that is fixed in space.
template <class Scalar>
struct Body {
  using Vec3s = Vector<Scalar, 3>;
  Vec3s operator()(const Scalar&, const SO3<Scalar>& R, const Vec3s& w) const {
    const Vec3s torque = R.inverse() * Vec3s(Scalar(0.3), Scalar(-0.2), Scalar(0.9));
    Vec3s a;
    a[0] = (torque[0] - Scalar(1) * w[1] * w[2]) / Scalar(2);
    a[1] = (torque[1] + Scalar(2) * w[2] * w[0]) / Scalar(3);
    a[2] = (torque[2] - Scalar(1) * w[0] * w[1]) / Scalar(4);
    return a;
  }
};

template <class Scalar>
Phase<SO3<Scalar>> turned(const Scalar& speed) {
  Phase<SO3<Scalar>> y;
  y.v[0] = speed;
  y.v[1] = Scalar(1);
  y.v[2] = Scalar(-0.3) * speed;
  integrate_steps<Rkmk4>(mechanical_field<SO3<Scalar>>(Body<Scalar>()), y, Scalar(0), Scalar(0.01), 100);
  return y;
}

}  // namespace

TEST_CASE("a pack steps one body in each lane, with the bits of single bodies") {
  Pack speeds(0);
  for (int lane = 0; lane < static_cast<int>(Pack::size()); ++lane) speeds[lane] = 0.5 + 3 * lane;
  const auto together = turned<Pack>(speeds);
  for (int lane = 0; lane < static_cast<int>(Pack::size()); ++lane) {
    const auto alone = turned<double>(0.5 + 3 * lane);
    CHECK(double(together.q.w()[lane]) == alone.q.w());
    for (int i = 0; i < 3; ++i) {
      CHECK(double(together.q.vec()[i][lane]) == alone.q.vec()[i]);
      CHECK(double(together.v[i][lane]) == alone.v[i]);
    }
  }
}
