#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "constrained_bodies.hpp"
#include "integrators/two_point_solver.hpp"
#include "support/greatest.hpp"
#include "torsor/lie/status.hpp"

using namespace torsor;
using namespace torsor::test;
using Group = ConstrainedBodies::Group;

namespace {

/// Numbers without a pattern.
Vec numbers(Eigen::Index size, double scale, int seed) {
  Vec v(size);
  for (Eigen::Index i = 0; i < size; ++i) v[i] = scale * std::sin(12.9898 * double(i + 1) + 78.233 * seed);
  return v;
}

/// The residuals r = G a - f - A^T lambda and s = phi or A v + a0.
void residuals(const ConstrainedSystem& system, double t, const State& x, const Vec& a, const Vec& lambda,
               bool position, Vec& r, Vec& s) {
  Vec term(system.nv());
  r.resize(system.nv());
  s.resize(system.rows());
  system.metric_times(t, x.q, a, r);
  system.force(t, x.q, x.v, term);
  r -= term;
  system.reaction(t, x.q, lambda, term);
  r -= term;
  if (position)
    system.position_residual(t, x.q, s);
  else
    system.velocity_residual(t, x.q, x.v, s);
}

EvaluationError thrown_by(const auto& body) {
  try {
    body();
  } catch (const EvaluationError& error) {
    return error;
  }
  return {StepStatus::accepted, "nothing"};
}

/// Two rows that ask for different velocities and accelerations of one body.
class Clash final : public ConstrainedBodies {
 public:
  Clash() : ConstrainedBodies(Group::direct, {1}, {Vec3(1, 1, 1)}, {1, 1}) {}

 private:
  void row(double t, const std::vector<BodyMotion>& bodies, int index, Row& out) const override {
    out.linear[0] = Vec3(1, 0, 0);
    out.phi = bodies[0].x[0] - index * t;
    out.offset = -index;
    out.rate = index;
  }
};

/// Two equal rows, of which the second has NaN in place of its numbers that are not coefficients.
class Unknown final : public ConstrainedBodies {
 public:
  Unknown() : ConstrainedBodies(Group::direct, {1}, {Vec3(1, 1, 1)}, {1, 1}) {}

 private:
  void row(double, const std::vector<BodyMotion>& bodies, int index, Row& out) const override {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    out.linear[0] = Vec3(1, 0, 0);
    out.phi = index == 0 ? bodies[0].x[0] : nan;
    out.offset = out.rate = index == 0 ? 0 : nan;
  }
};

/// Rows on one body: on its angular velocity about x, and on its velocity along x. Where the coordinate y is
/// 1, each row depends a little on the other velocity, which is much smaller or much greater as a number.
class SmallLengths final : public ConstrainedBodies {
 public:
  SmallLengths() : ConstrainedBodies(Group::direct, {1}, {Vec3(1, 1, 1)}, {0, 0}) {}

 private:
  void row(double, const std::vector<BodyMotion>& bodies, int index, Row& out) const override {
    const double y = bodies[0].x[1];
    out.angular[0] = Vec3(index == 0 ? 1 - 6e-3 * y : -1e-5 * y, 0, 0);
    out.linear[0] = Vec3(index == 0 ? -1e3 * y : 1, 0, 0);
  }
};

}  // namespace

TEST_CASE("the first multipliers of the top agree with the reference") {
  for (const Group group : {Group::direct, Group::semidirect}) {
    const Top top(group);
    const State x = top.start();
    Vec a(6), lambda(3);
    top.acceleration(0, x.q, x.v, a, lambda);
    CHECK((lambda - Vec3(0, -319.525988166, -317.26246153846153846)).norm() < 1e-8);
    Vec a_alone(6);
    const System& system = top;
    system.acceleration(0, x.q, x.v, a_alone);
    CHECK(a_alone == a);
  }
}

TEST_CASE("redundant rows have the multipliers of least norm and leave the accelerations unchanged") {
  const Top once(Group::semidirect);
  Top thrice(Group::semidirect);
  thrice.repeat_rows(3);
  const State x = once.start(30);
  Vec a1(6), a3(6), l1(3), l3(9);
  once.acceleration(0, x.q, x.v, a1, l1);
  thrice.acceleration(0, x.q, x.v, a3, l3);
  CHECK((a3 - a1).norm() < 1e-10);
  for (int copy = 0; copy < 3; ++copy) CHECK((3 * l3.segment<3>(3 * copy) - l1).norm() < 1e-10);
}

TEST_CASE("contradictory rows are refused, and the message gives the number of one of them") {
  const Clash clash;
  const State x = clash.state({{Vec3(0, 0, 0), Mat3::Identity(), Vec3(0, 0, 0), Vec3(0, 0, 0)}});
  Vec a(6);
  const auto error = thrown_by([&] { clash.ConstrainedSystem::acceleration(0, x.q, x.v, a); });
  CHECK(error.status == StepStatus::singular);
  CHECK(std::string(error.what()) == "constraint row 1 contradicts the others by 1.0e+00");
}

TEST_CASE("if the numbers of a redundant row are NaN, no solution and no projection is finite") {
  const Unknown unknown;
  const State x = unknown.state({{Vec3(0.1, 0, 0), Mat3::Identity(), Vec3(1, 0, 0), Vec3(0, 0, 0)}});
  Vec a(6), q = x.q, v = x.v;
  unknown.ConstrainedSystem::acceleration(0, x.q, x.v, a);
  CHECK(std::isnan(a[0]));
  unknown.project_velocity(0, x.q, v);
  CHECK(std::isnan(v[0]));
  CHECK(thrown_by([&] { unknown.project_position(0, q); }).status == StepStatus::constraint_lost);
}

TEST_CASE("TwoPointSolver takes reactions at one configuration and rows at another") {
  const Chain chain(Group::semidirect);
  const State x = chain.start();
  const Vec xi = 0.05 * x.v, r = numbers(12, 3, 1), s = numbers(6, 2, 2);
  Vec q(14), a(12), lambda(6), left(12), term(12), rows(6);
  chain.retract(x.q, xi, q);
  TwoPointSolver().solve(chain, 0, x, 0, q, r, s, 1, a, lambda);
  chain.metric_times(0, x.q, a, left);
  chain.reaction(0, x.q, lambda, term);
  CHECK(greatest(left - term - r) < 1e-11);
  chain.constraint_times(0, q, a, rows);
  CHECK(greatest(rows - s) < 1e-12);
}

TEST_CASE("TwoPointSolver converges if small lengths hide a part of a change, and the next one is greater") {
  const SmallLengths body;
  const State x = body.state({{Vec3::Zero(), Mat3::Identity(), Vec3::Zero(), Vec3::Zero()}});
  const Vec q = body.state({{Vec3(0, 1, 0), Mat3::Identity(), Vec3::Zero(), Vec3::Zero()}}).q;
  const Vec r = Vec::Zero(6), s = Eigen::Vector2d(-1, 1e-3);
  Vec a(6), lambda(2), rows(2);
  TwoPointSolver().solve(body, 0, x, 0, q, r, s, 1, a, lambda);
  body.constraint_times(0, q, a, rows);
  CHECK(greatest(rows - s) < 1e-12);
}

TEST_CASE("positions are projected orthogonally in the metric, and left unchanged if they are consistent") {
  const Top top(Group::semidirect, 0.1);
  State x = top.start();
  const Vec q_right = x.q;
  CHECK(!top.project_position(0, x.q));
  CHECK(x.q == q_right);

  const double t = 0.02;  // the support has moved
  CHECK(top.project_position(t, x.q));
  Vec phi(3), xi(6), lambda(3), shift(6);
  top.position_residual(t, x.q, phi);
  CHECK(greatest(phi) < 1e-15);
  top.local_difference(q_right, x.q, xi);
  CHECK(greatest(xi) > 1e-3);
  const Vec zero = Vec::Zero(6);
  Vec rows(3);
  top.constraint_times(t, q_right, xi, rows);
  top.solve(t, q_right, zero, rows, shift, lambda);  // the normal part of xi at q_right
  CHECK((shift - xi).norm() < 2e-2 * xi.norm());
}

TEST_CASE("velocities are projected orthogonally in the metric") {
  const RollingBall ball(Group::semidirect);
  State x = ball.start();
  x.v += numbers(6, 0.3, 3);
  const Vec before = x.v;
  ball.project_velocity(0.4, x.q, x.v);
  Vec psi(3), moved = x.v - before, momentum(6), tangent = numbers(6, 1, 4), rows(3), y(3), normal(6);
  ball.velocity_residual(0.4, x.q, x.v, psi);
  CHECK(greatest(psi) < 1e-14);
  ball.constraint_times(0.4, x.q, tangent, rows);
  const Vec zero = Vec::Zero(6);
  ball.solve(0.4, x.q, zero, rows, normal, y);
  tangent -= normal;
  ball.metric_times(0.4, x.q, moved, momentum);
  CHECK(std::abs(momentum.dot(tangent)) < 1e-14);
}

namespace {

/// No position satisfies this row. Its coefficients vanish where the body is at the origin.
class Unreachable final : public ConstrainedBodies {
 public:
  Unreachable() : ConstrainedBodies(Group::direct, {1}, {Vec3(1, 1, 1)}, {1}) {}

 private:
  void row(double, const std::vector<BodyMotion>& bodies, int, Row& out) const override {
    out.linear[0] = 2 * bodies[0].x;
    out.phi = bodies[0].x.squaredNorm() + 1;
  }
};

}  // namespace

TEST_CASE("where a row vanishes, the projection ends with constraint-lost") {
  const Unreachable system;
  State x = system.state({{Vec3(0, 0, 0), Mat3::Identity(), Vec3(0, 0, 0), Vec3(0, 0, 0)}});
  const auto error = thrown_by([&] { system.project_position(0, x.q); });
  CHECK(error.status == StepStatus::constraint_lost);
  CHECK(std::string(error.what()) ==
        "the constraints are violated by 1.0e+00, and projection does not converge: "
        "constraint row 0 contradicts the others by 1.0e+00");
}

TEST_CASE("where no state on the constraints is found, the rank of the given state counts") {
  const Unreachable system;
  const auto choose_at = [&](double x) {
    system.choices().choose(
        0, system.state({{Vec3(x, 0, 0), Mat3::Identity(), Vec3(0, 0, 0), Vec3(0, 0, 0)}}).q);
    return system.conditioning().condition();
  };
  system.choices().begin_run();
  CHECK(choose_at(1) == 1);  // the first correction leads to 0, where the row vanishes
  const double near = choose_at(1e-3);
  CHECK(near > 1e5);
  CHECK(near < 1e7);
}

TEST_CASE("rows that have lost rank give no acceleration, however often it is asked for") {
  const Unreachable system;
  const auto at = [&](double x) {
    return system.state({{Vec3(x, 0, 0), Mat3::Identity(), Vec3(0, 0, 0), Vec3(0, 0, 0)}});
  };
  system.choices().begin_run();
  system.choices().choose(0, at(1).q);
  const State near = at(4e-7);  // pivot growth 1.9e13
  Vec a(system.nv()), lambda(system.rows());
  for (const int time : {1, 2}) {
    CAPTURE(time);
    const auto error = thrown_by([&] { system.acceleration(0, near.q, near.v, a, lambda); });
    CHECK(error.status == StepStatus::singular);
  }
}

TEST_CASE("unreachable positions end with constraint-lost and the size of the violation") {
  const Unreachable system;
  State x = system.state({{Vec3(0.3, 0.1, 0), Mat3::Identity(), Vec3(0, 0, 0), Vec3(0, 0, 0)}});
  const auto error = thrown_by([&] { system.project_position(0, x.q); });
  CHECK(error.status == StepStatus::constraint_lost);
  CHECK(std::string(error.what()).find("the constraints are violated by") == 0);
}

namespace {

/// The body is on the plane x = 510 m (radius 0), or at the distance `radius` from the z axis. No position
/// has a negative distance.
class Place final : public ConstrainedBodies {
 public:
  explicit Place(double radius)
      : ConstrainedBodies(Group::direct, {1}, {Vec3(1, 1, 1)}, {1}), radius_(radius) {}

 private:
  void row(double, const std::vector<BodyMotion>& bodies, int, Row& out) const override {
    const Vec3& x = bodies[0].x;
    out.linear[0] = radius_ != 0 ? Vec3(2 * x[0], 2 * x[1], 0) : Vec3(1, 0, 0);
    out.phi = radius_ != 0 ? x[0] * x[0] + x[1] * x[1] - radius_ * std::abs(radius_) : x[0] - 510;
  }
  double radius_;
};

Vec3 projected(const ConstrainedBodies& system, const Vec3& x) {
  Vec q = system.state({{x, Mat3::Identity(), Vec3(0, 0, 0), Vec3(0, 0, 0)}}).q;
  system.project_position(0, q);
  return q.head<3>();
}

}  // namespace

TEST_CASE("the projection moves a position by any distance, and ends at the rounding of large coordinates") {
  CHECK(projected(Place(0), Vec3(0, 0, 0)) == Vec3(510, 0, 0));
  for (const double radius : {1., 3.8e8, 1e15})
    for (const double off : {0.1, 1e-3, 1e-8, 1e-14}) {
      CAPTURE(radius);
      CAPTURE(off);
      const Vec3 x = projected(Place(radius), radius * (1 + off) * Vec3(std::cos(0.7), std::sin(0.7), 0));
      CHECK(std::abs(x.norm() / radius - 1) < 1e-14);
    }
}

TEST_CASE("the projection refuses positions off the constraints, also beside a large free coordinate") {
  for (const double z : {1., 1e14}) {
    CAPTURE(z);
    CHECK_THROWS_AS(projected(Place(-1), Vec3(0.3, 0, z)), EvaluationError);
  }
  // From near the axis, the first correction is 500 m, and the violation grows.
  CHECK_THROWS_AS(projected(Place(1), Vec3(1e-3, 0, 0)), EvaluationError);
}

TEST_CASE("the tangent of Newton's method is the derivative of the residuals") {
  const double c_v = 0.11, c_q = 0.013, t = 0.3;
  for (const Group group : {Group::direct, Group::semidirect}) {
    const RollingBall ball(group);
    const Chain chain(group);
    for (const ConstrainedBodies* system :
         {static_cast<const ConstrainedBodies*>(&ball), static_cast<const ConstrainedBodies*>(&chain)}) {
      for (const bool position : {false, true}) {
        if (position && system == &ball) continue;  // the velocity rows of the ball have no phi
        CAPTURE(position);
        const int n = system->nv(), m = system->rows();
        const State start = system == &ball ? ball.start() : chain.start();
        const Vec xi = numbers(n, 0.4, 5), a = numbers(n, 2, 6), lambda = numbers(m, 3, 7);
        const Vec da = numbers(n, 1, 8), dl = numbers(m, 1, 9);
        const auto at = [&](double step, Vec& r, Vec& s) {
          State x{Vec(system->nq()), start.v + step * c_v * da, {}};
          const Vec moved = xi + step * c_q * da;
          system->retract(start.q, moved, x.q);
          residuals(*system, t, x, a + step * da, lambda + step * dl, position, r, s);
        };
        const double e = 1e-4;
        Vec r1, r2, s1, s2, da_back(n), dl_back(m);
        at(e, r1, s1);
        at(-e, r2, s2);
        r1 = (r1 - r2) / (2 * e);
        s1 = (s1 - s2) / (2 * e);
        State x{Vec(system->nq()), start.v, {}};
        system->retract(start.q, xi, x.q);
        const auto level = position ? Tangent::Level::position : Tangent::Level::velocity;
        Tangent& tangent = *system->tangent();
        tangent.factor({t, x, a, lambda, xi, c_v, c_q, level});
        tangent.solve(r1, s1, da_back, dl_back);
        CHECK(greatest(da_back - da) < 2e-5);
        CHECK(greatest(dl_back - dl) < 2e-4);
      }
    }
  }
}
