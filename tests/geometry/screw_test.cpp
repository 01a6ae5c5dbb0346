#include "torsor/geometry/screw.hpp"

#include "geometry/random_fields.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {
using Twist = Vector<double, 6>;
Twist twist(const Vec3& n_1, const Vec3& n_2) { return (Twist() << n_1, n_2).finished(); }
}  // namespace

TEST_CASE("a screw and its twist, for turns and translations of any size") {
  for (double turn : {1e-200, 1e-9, 1e-3, 1., 1e3, 1e200}) {
    for (double speed : {0., 1e-3, 1., 1e3}) {
      CAPTURE(turn);
      CAPTURE(speed);
      const Vec3 n_1 = speed * random_vector<3>(), n_2 = turn * random_vector<3>();
      const auto screw = screw_of(twist(n_1, n_2));
      CHECK(screw.direction.norm() == doctest::Approx(1).epsilon(1e-14));
      CHECK(std::abs(screw.point.normalized().dot(screw.direction)) < 1e-14);
      CHECK((Vec3(screw.twist().head<3>()) - n_1).norm() <= 1e-14 * n_1.norm());
      CHECK((Vec3(screw.twist().tail<3>()) - n_2).norm() <= 1e-14 * n_2.norm());
    }
  }
}

TEST_CASE("a twist with a component that is not a number has no screw") {
  for (int i = 0; i < 6; ++i) {
    CAPTURE(i);
    Twist n = twist(Vec3(1, 0, 0), Vec3::Zero());
    n[i] = std::nan("");
    const auto screw = screw_of(n);
    CHECK(std::isnan(i < 3 ? screw.advance : screw.turn));
    CHECK_FALSE(screw.direction.allFinite());
    CHECK(std::isnan(screw.pitch()));
  }
}

TEST_CASE("points of the axis move along it") {
  const Twist n = random_vector<6>();
  const auto screw = screw_of(n);
  const double t = 0.7;
  const Vec3 on_axis = screw.point + 0.4 * screw.direction;
  const Vec3 moved = on_axis + t * screw.advance * screw.direction;
  CHECK(agree(SE3<>::exp(t * n) * on_axis, moved, 1e-14));
  CHECK(agree(screw.advance, screw.pitch() * screw.turn, 1e-14));
}

TEST_CASE("a pure translation has an infinite pitch, and a body at rest a zero screw") {
  const Vec3 v(0.3, -0.4, 1.2);
  const auto translation = screw_of(twist(v, Vec3::Zero()));
  CHECK(translation.turn == 0);
  CHECK(translation.advance == doctest::Approx(v.norm()).epsilon(1e-15));
  CHECK(agree(translation.direction, v.normalized(), 1e-15));
  CHECK(translation.point.norm() == 0);
  CHECK(translation.pitch() == std::numeric_limits<double>::infinity());
  CHECK(agree(translation.twist(), twist(v, Vec3::Zero()), 1e-15));

  const auto rest = screw_of(Twist(Twist::Zero()));
  CHECK(rest.twist() == Twist::Zero());
  CHECK(rest.pitch() == 0);
  CHECK(rest.direction == Vec3::Zero());
}

TEST_CASE("dual numbers give the derivatives of a screw, which are finite at rest") {
  using D = Dual<double>;
  Vector<D, 6> n;
  for (int i = 0; i < 6; ++i) n[i] = D(0, uniform());
  const auto at_rest = screw_of(n);
  CHECK(std::isfinite(at_rest.turn.derivative));
  CHECK(std::isfinite(at_rest.advance.derivative));

  const Twist x = random_vector<6>(), d = random_vector<6>();
  for (int i = 0; i < 6; ++i) n[i] = D(x[i], d[i]);
  const auto screw = screw_of(n);
  const Vec3 w = x.tail<3>(), w_dot = d.tail<3>();
  CHECK(screw.turn.derivative == doctest::Approx(w.dot(w_dot) / w.norm()).epsilon(1e-13));
}

TEST_CASE("the displacement is the integral of the rotated velocity") {
  const Twist n = random_vector<6>();
  const Vec3 n_1 = n.head<3>(), n_2 = n.tail<3>();
  const double t = 1.3, w = n_2.norm();
  const Mat3 N = skew(n_2);
  const Mat3 J = t * Mat3::Identity() + (1 - std::cos(w * t)) / (w * w) * N +
                 (w * t - std::sin(w * t)) / (w * w * w) * N * N;
  CHECK(agree(screw_displacement(n, t), Vec3(J * n_1)));
  const Dual<double> moving(t, 1);
  const Vector<Dual<double>, 6> wide = n.cast<Dual<double>>();
  const Vector<Dual<double>, 3> p = screw_displacement(wide, moving);
  CHECK(agree(Vec3(p[0].derivative, p[1].derivative, p[2].derivative), Vec3(SO3<>::exp(t * n_2) * n_1)));
}
