// Systems with a Lagrangian whose fields are callables of the user.
#include "torsor/coordinates/lagrangian_system.hpp"

#include <doctest/doctest.h>

#include "frame3_coordinates.hpp"
#include "torsor/coordinates/run.hpp"
#include "torsor/lie/elementary.hpp"

namespace torsor {

using namespace geometry;
namespace {

/// The kinetic minus the potential energy of vhb.frame3, in its frame.
struct LagrangeFrame3 : test::Frame3Coordinates {
  template <class S>
  S lagrangian(const Vector<S>& e, const Vector<S>& u) const {
    const Vector<S> v = velocities(e) * u;
    const Matrix<S> g = frame3::metric(torsor::Vector<S, 3>(e.template head<3>()));
    return S(0.5) * v.dot(g * v) - (e[0] * e[0] * e[1] / S(2) + e[2]);
  }
};

/// A Lagrangian without mechanical meaning. It depends on time, and its mass matrix depends on a rate.
struct Growing : CoordinateFields {
  Growing() : CoordinateFields(2) {}
  template <class S>
  S lagrangian(const Vector<S>& e, const Vector<S>& u) const {
    return S(0.5) * (S(1) + torsor::exp(-e[2])) * u[0] * u[0] + u[1] * u[1] * (S(1) + u[1] * u[1] / S(4)) +
           u[0] * u[1] * torsor::sin(e[0]) * torsor::cos(e[2]) + u[1] * e[0] * e[2] - e[0] * e[0] * e[1];
  }
  template <class S>
  Vector<S> force(const Vector<S>& e, const Vector<S>& u) const {
    Vector<S> f(2);
    f << torsor::cos(e[2]), -u[1];
    return f;
  }
};

CoordinateOptions by(CoordinateEquations equations) {
  CoordinateOptions options;
  options.equations = equations;
  return options;
}

}  // namespace

TEST_CASE("vhb.frame3: a Lagrangian gives the reference motion by Lagrange's and by Hamel's equations") {
  const Vec3 v = vector<3>(reference("vhb.frame3").at("v")), q = frame3::point();
  const Vec3 v_dot = vector<3>(reference("vhb.frame3").at("vdot"));
  for (const auto equations : {CoordinateEquations::coordinates, CoordinateEquations::hamel}) {
    for (const bool mass_is_metric : {false, true}) {
      CAPTURE(to_string(equations));
      CAPTURE(mass_is_metric);
      const LagrangianSystem<LagrangeFrame3> system(LagrangeFrame3(), by(equations), mass_is_metric);
      const Vec u = frame3::basis(q) * v;
      Vec u_dot(3);
      system.acceleration(0, q, u, u_dot);
      const Vec e = event<double, Eigen::Dynamic>(q, 0.);
      const Eigen::MatrixXd B_dot =
          derivative_along(CoordinateFrame<Eigen::Dynamic>(), e, event_velocity<double, Eigen::Dynamic>(u),
                           system.geometry().velocities());
      CHECK(agree(Vec3(system.fields().velocities(e) * u_dot + B_dot * u), v_dot));
      CHECK(system.mass_of_velocity() == !mass_is_metric);
    }
  }
}

TEST_CASE("a system with a Lagrangian refuses connections and dynamic constraints") {
  for (const auto equations : {CoordinateEquations::christoffel, CoordinateEquations::canonical_plus})
    CHECK_THROWS_WITH_AS(LagrangianSystem<Growing>(Growing(), by(equations)),
                         "a system with a Lagrangian has no connection: choose coordinates or hamel",
                         std::invalid_argument);
  CoordinateOptions dynamic;
  dynamic.treatment = Treatment::dynamic;
  CHECK_THROWS_WITH_AS(LagrangianSystem<Growing>(Growing(), dynamic),
                       "the treatment dynamic needs a metric in place of a Lagrangian",
                       std::invalid_argument);
}

TEST_CASE("the rate of the Jacobi integral is the power of the forces minus the explicit dL/dt") {
  const LagrangianSystem<Growing> system{Growing()};
  const State start{Vector<double, 2>(0.4, -0.3), Vector<double, 2>(0.7, 0.9), {}};
  SimulationOptions options;
  options.method = "rkmk-fehlberg78";
  options.tolerance = 1e-12;
  options.t_end = 1;
  const Trajectory motion = run(system, start, options);
  REQUIRE(motion.summary.status == StepStatus::reached_end);
  CHECK(std::abs(motion.samples.back().invariants.work) > 0.1);
  CHECK(motion.energy_max_drift < 1e-10);
}

TEST_CASE("the directions without inertia of a mass matrix are found, in any units") {
  Eigen::MatrixXd M(4, 4);
  const Vector<double, 4> row(1, -2, 0, 3);
  M.setZero();
  M += row * row.transpose();
  M(2, 2) = 5;
  for (const double unit : {1., 1e5}) {
    const Vector<double, 4> scale(1, unit, 1, 1 / unit);
    const Eigen::MatrixXd none = directions_without_inertia(scale.asDiagonal() * M * scale.asDiagonal());
    REQUIRE(none.cols() == 2);
    CHECK(none(0, 0) == 1);
    CHECK(none(1, 1) == 1);
    CHECK(none(3, 0) * scale[3] == doctest::Approx(-1. / 3));
    CHECK(none(3, 1) * scale[3] / scale[1] == doctest::Approx(2. / 3));
    CHECK(none(1, 0) == 0);
    CHECK(none(0, 1) == 0);
  }
  Eigen::MatrixXd indefinite(2, 2);
  indefinite << 0, 1, 1, 0;
  CHECK(directions_without_inertia(indefinite).cols() == 0);
}

TEST_CASE(
    "with an indefinite mass matrix, redundant rows share the multiplier; contradictory rows and a singular "
    "mass matrix are refused") {
  Eigen::MatrixXd M(2, 2), A(2, 2);
  M << 0, 2, 2, 1;
  A << 1, 1, 1, 1;
  Vec x(2), y(2), Mx(2);
  solve_saddle_point(M, A, Vector<double, 2>(0.3, -0.4), Vector<double, 2>(0.5, 0.5), x, y);
  CHECK(x.sum() == doctest::Approx(0.5));
  CHECK(y[0] == doctest::Approx(y[1]));
  Mx = M * x - A.transpose() * y;
  CHECK(agree(Vector<double, 2>(Mx), Vector<double, 2>(0.3, -0.4)));
  CHECK_THROWS_WITH_AS(
      solve_saddle_point(M, A, Vector<double, 2>(0.3, -0.4), Vector<double, 2>(0.5, 0.6), x, y),
      "the constraint rows contradict each other", EvaluationError);
  CHECK_THROWS_WITH_AS(solve_saddle_point(Eigen::MatrixXd::Zero(2, 2), A, Vector<double, 2>(0.3, -0.4),
                                          Vector<double, 2>(0.5, 0.5), x, y),
                       "the mass matrix of the Lagrangian is singular", EvaluationError);
}

}  // namespace torsor
