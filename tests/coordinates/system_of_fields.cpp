// Systems in coordinates whose fields are callables of the user.
#include "torsor/coordinates/system_of_fields.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>

#include "frame3_coordinates.hpp"
#include "torsor/coordinates/run.hpp"
#include "torsor/lie/elementary.hpp"
#include "torsor/report/detail/coordinate_geometry.hpp"

namespace torsor {
using namespace geometry;
namespace {

/// The frame and the metric of frame3 in coordinates, with the potential of vhb.frame3.
struct Frame3 : test::Frame3WithMetric {
  template <class S>
  S potential(const Vector<S>& e) const {
    return e[0] * e[0] * e[1] / S(2) + e[2];
  }
};

}  // namespace

TEST_CASE(
    "vhb.frame3: coordinates, Hamel's equations and the Christoffel connection give the reference motion") {
  const Vec3 v = vector<3>(reference("vhb.frame3").at("v")), q = frame3::point();
  const Vec3 v_dot = vector<3>(reference("vhb.frame3").at("vdot"));
  for (const auto equations :
       {CoordinateEquations::coordinates, CoordinateEquations::hamel, CoordinateEquations::christoffel}) {
    CAPTURE(to_string(equations));
    CoordinateOptions options;
    options.equations = equations;
    const SystemOfFields<Frame3> system(Frame3(), options);
    const Vec u = frame3::basis(q) * v;
    Vec u_dot(3), quasi(3);
    system.acceleration(0, q, u, u_dot);
    // v' = (B u)' by the field of quasi-velocities itself.
    const Vec e = event<double, Eigen::Dynamic>(q, 0.);
    const Eigen::MatrixXd B_dot =
        derivative_along(CoordinateFrame<Eigen::Dynamic>(), e, event_velocity<double, Eigen::Dynamic>(u),
                         system.geometry().velocities());
    CHECK(agree(Vec3(system.fields().velocities(e) * u_dot + B_dot * u), v_dot));
    system.quasi_velocities(0, q, u, quasi);
    CHECK(agree(Vec3(quasi), v));
    CHECK(system.weak_residual(0, q) == 0);
  }
}

TEST_CASE("the weak residual shows that the canonical (+) connection of frame3 does not give the motion") {
  CoordinateOptions options;
  options.equations = CoordinateEquations::canonical_plus;
  const SystemOfFields<Frame3> system(Frame3(), options);
  CHECK(system.weak_residual(0, frame3::point()) > 0.1);
}

namespace {

/// Frame3 under a constraint row that is not integrable.
struct RolledFrame3 : Frame3 {
  template <class S>
  Matrix<S> rows(const Vector<S>& e) const {
    Matrix<S> A = Matrix<S>::Constant(1, 4, S(0));
    A(0, 0) = S(1) + e[1], A(0, 1) = e[0] - e[2], A(0, 2) = S(1);
    return A;
  }
};

}  // namespace

TEST_CASE("under constraints, residuals show a wrong connection; Christoffel's weak residual vanishes") {
  const SystemOfFields<RolledFrame3> system{RolledFrame3()};
  const auto geometry = system.geometry();
  const Vec e = event<double, Eigen::Dynamic>(Vec(frame3::point()), 0.);
  const auto basis = detail::allowed_basis(geometry, 1, e);
  const auto wrong = in_frame_below(
      connection_of(CoordinateAffinities<RolledFrame3>{geometry, CoordinateEquations::canonical_plus}));
  const auto found = detail::constrained_compatibility(basis, wrong, geometry.metric(), e);
  CHECK(found.weak > 0.01);
  CHECK(found.strong > 0.01);
  const auto Gamma = christoffel(CoordinateFrame<Eigen::Dynamic>(), geometry.metric());
  CHECK(detail::constrained_compatibility(basis, Gamma, geometry.metric(), e).weak < 1e-14);
  const Connection unknown{CoordinateFrame<Eigen::Dynamic>(), [&](const Vec& at) {
                             auto L = Gamma.affinities(at);
                             L(1, 2, 0) = std::numeric_limits<double>::quiet_NaN();
                             return L;
                           }};
  const auto lost = detail::constrained_compatibility(basis, unknown, geometry.metric(), e);
  CHECK(std::isnan(lost.weak));
  CHECK(std::isnan(lost.strong));
}

namespace {

/// A mass whose derivative cannot be computed at the coordinate 0.
struct MassWithRoot : CoordinateFields {
  MassWithRoot() : CoordinateFields(1) {}
  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    Matrix<S> g = Matrix<S>::Identity(2, 2);
    g(0, 0) += torsor::sqrt(S(e[0] * e[0] * e[0] * e[0]));
    return g;
  }
};

}  // namespace

TEST_CASE("time is not removable if the residuals cannot be computed at one of the states") {
  const SystemOfFields<MassWithRoot> system{MassWithRoot()};
  const CoordinateNames names{{"x"}, {"x'"}, {}};
  CHECK(detail::coordinate_time_report(system, names, 0, Vec::Ones(1)).removable);
  const CoordinateTimeReport time = detail::coordinate_time_report(system, names, 0, Vec::Zero(1));
  CHECK(time.states > 1);  // the residuals of the other states are finite
  CHECK(std::isnan(time.S1_around));
  CHECK_FALSE(time.removable);
}

namespace {

/// Two masses. The first is `unit`, the second grows with time.
struct TwoMasses : CoordinateFields {
  explicit TwoMasses(double unit) : CoordinateFields(2), first(unit) {}
  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    Matrix<S> g = Matrix<S>::Constant(3, 3, S(0));
    g(0, 0) = S(first), g(1, 1) = S(1) + S(0.1) * e[2];
    return g;
  }
  double first;
};

/// A particle at the distance r on a line that turns at 2 rad/s.
struct OnTurningLine : CoordinateFields {
  explicit OnTurningLine(double m) : CoordinateFields(1), mass(m) {}
  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    Matrix<S> g = Matrix<S>::Constant(2, 2, S(0));
    g(0, 0) = S(mass), g(1, 1) = S(4 * mass) * e[0] * e[0];
    return g;
  }
  double mass;
};

/// A particle at x + sin(t) on a line.
struct OnMovingLine : OnTurningLine {
  using OnTurningLine::OnTurningLine;
  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    const S rate = torsor::cos(e[1]);
    Matrix<S> g(2, 2);
    g << S(mass), S(mass) * rate, S(mass) * rate, S(mass) * rate * rate;
    return g;
  }
};

/// A particle in a plane with the row y' + 0.2 = 0.
struct OnDriftingBlade : CoordinateFields {
  OnDriftingBlade() : CoordinateFields(2) {}
  template <class S>
  Matrix<S> metric(const Vector<S>&) const {
    Matrix<S> g = Matrix<S>::Identity(3, 3);
    g(2, 2) = S(0);
    return g;
  }
  template <class S>
  Matrix<S> rows(const Vector<S>&) const {
    Matrix<S> row(1, 3);
    row << S(0), S(1), S(0.2);
    return row;
  }
};

/// A particle in a plane with phi = y + 0.2 t.
struct OnDriftingLine : CoordinateFields {
  OnDriftingLine() : CoordinateFields(2) {}
  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    return OnDriftingBlade().metric(e);
  }
  template <class S>
  Vector<S> positions(const Vector<S>& e) const {
    return Vector<S>::Constant(1, e[1] + S(0.2) * e[2]);
  }
};

/// A particle in a plane with the row k (x' + t y') = 0.
struct OnTurningBlade : CoordinateFields {
  explicit OnTurningBlade(double unit) : CoordinateFields(2), k(unit) {}
  template <class S>
  Matrix<S> metric(const Vector<S>&) const {
    Matrix<S> g = Matrix<S>::Identity(3, 3);
    g(2, 2) = S(0);
    return g;
  }
  template <class S>
  Matrix<S> rows(const Vector<S>& e) const {
    Matrix<S> row(1, 3);
    row << S(k), S(k) * e[2], S(0);
    return row;
  }
  double k;
};

template <class Fields>
CoordinateTimeReport time_report(Fields fields) {
  const SystemOfFields<Fields> system(std::move(fields));
  const CoordinateNames names{{"x", "y"}, {"x'", "y'"}, {"blade"}};
  return detail::coordinate_time_report(system, names, 0, Vec::Ones(system.size()));
}
template <class Fields>
bool time_is_removable(Fields fields) {
  return time_report(std::move(fields)).removable;
}

}  // namespace

TEST_CASE("whether time is removable does not depend on the unit of the masses or of one coordinate") {
  for (const double unit : {1e-9, 1., 1e9}) {
    CAPTURE(unit);
    CHECK_FALSE(time_is_removable(TwoMasses(unit)));
  }
  for (const double mass : {1e-27, 1e-11, 1., 1e12}) {
    CAPTURE(mass);
    CHECK_FALSE(time_is_removable(OnTurningLine(mass)));
    CHECK(time_is_removable(OnMovingLine(mass)));
  }
}

TEST_CASE("the causes of a dependence on time do not depend on the unit of the masses or of a row") {
  for (const double unit : {1e-15, 1e-11, 1., 1e12}) {
    CAPTURE(unit);
    CHECK(time_report(OnMovingLine(unit)).causes == std::vector<std::string>{"metric"});
    CHECK(time_report(OnTurningLine(unit)).causes.empty());
    CHECK(time_report(OnTurningBlade(unit)).causes == std::vector<std::string>{"blade"});
  }
}

TEST_CASE("a velocity row with a constant a_0 is acatastatic and does not depend on time") {
  const std::vector<std::string> blade{"blade"};
  CHECK(time_report(OnDriftingBlade()).causes == blade);
  CHECK(time_report(OnDriftingBlade()).rheonomic == std::vector<char>{0});
  CHECK(time_report(OnDriftingLine()).causes == blade);
  CHECK(time_report(OnDriftingLine()).rheonomic == std::vector<char>{1});
  CHECK(time_report(OnTurningBlade(1)).rheonomic == std::vector<char>{1});
}

namespace {

/// A mass that varies with time, on a spring whose rest position moves, under a driving force and damping.
/// The energy changes only by work.
struct GrowingMass : CoordinateFields {
  GrowingMass() : CoordinateFields(1) {}
  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    const S m = S(2) + torsor::sin(e[1]), sway = torsor::cos(e[1]) / S(3);
    Matrix<S> g(2, 2);
    g << m, m * sway, m * sway, m * sway * sway;  // the kinetic energy is m (u + sway)^2 / 2
    return g;
  }
  template <class S>
  S potential(const Vector<S>& e) const {
    const S stretch = e[0] - torsor::sin(S(3) * e[1]);
    return S(2.5) * stretch * stretch;
  }
  template <class S>
  Vector<S> force(const Vector<S>& e, const Vector<S>& u) const {
    return Vector<S>::Constant(1, torsor::cos(S(2) * e[1]) - S(0.3) * u[0]);
  }
};

}  // namespace

TEST_CASE("energy changes by the work, for a metric, a potential and forces that depend on time") {
  const SystemOfFields<GrowingMass> system{GrowingMass()};
  SimulationOptions options;
  options.method = "rkmk-fehlberg78";
  options.tolerance = 1e-11;
  options.t_end = 5;
  const Trajectory motion = run(system, {Vec::Constant(1, 0.4), Vec::Constant(1, -0.7), {}}, options);
  REQUIRE(motion.summary.status == StepStatus::reached_end);
  CHECK(std::abs(motion.samples.back().invariants.work) > 0.5);
  CHECK(motion.energy_max_drift < 1e-9);
}

TEST_CASE(
    "a sink receives every sample of a system in coordinates; the trajectory keeps the first and the last") {
  const SystemOfFields<GrowingMass> system{GrowingMass()};
  SimulationOptions options;
  options.output_step = 0.1;
  std::vector<double> times;
  const Trajectory motion = run(system, {Vec::Constant(1, 0.4), Vec::Constant(1, -0.7), {}}, options, {},
                                [&](const Sample& sample) { times.push_back(sample.t); });
  CHECK(times.size() == 11);
  REQUIRE(motion.samples.size() == 2);
  CHECK(motion.samples[0].t == 0);
  CHECK(motion.samples[1].t == 1);
}

TEST_CASE("events of joints and of coordinates that do not exist are refused for a system in coordinates") {
  const SystemOfFields<GrowingMass> system{GrowingMass()};
  const State start{Vec::Constant(1, 0.4), Vec::Constant(1, -0.7), {}};
  EventSpec event;
  event.name = "stop", event.quantity = EventSpec::Quantity::joint_rate;
  CHECK_THROWS_WITH_AS(run(system, start, {}, {event}),
                       "event \"stop\": a system in coordinates has no such quantity", std::invalid_argument);
  event.quantity = EventSpec::Quantity::rate;
  event.coordinate = 1;
  CHECK_THROWS_WITH_AS(run(system, start, {}, {event}),
                       "event \"stop\": the system has no coordinate with index 1", std::invalid_argument);
  event.coordinate = 0;
  event.value = TimeFunction(StateFunction{}, "x");
  CHECK_THROWS_WITH_AS(
      run(system, start, {}, {event}),
      "event \"stop\": the value of an event in coordinates cannot be a function of the state",
      std::invalid_argument);
}

namespace {

/// A particle of 2 kg in polar coordinates r (m) and phi.
struct Polar : CoordinateFields {
  Polar() : CoordinateFields(2) {}
  template <class S>
  CoordinateFields::Matrix<S> metric(const CoordinateFields::Vector<S>& e) const {
    CoordinateFields::Matrix<S> g = CoordinateFields::Matrix<S>::Constant(3, 3, S(0));
    g(0, 0) = S(2), g(1, 1) = S(2) * e[0] * e[0];
    return g;
  }
};

std::map<std::string, double> by_name(const std::vector<NamedComponent>& list) {
  std::map<std::string, double> all;
  for (const NamedComponent& one : list) all[one.name] = one.value;
  return all;
}

}  // namespace

TEST_CASE("the components listed do not depend on the units: polar coordinates near and far") {
  for (const double r : {1e-9, 1., 7e6, 1e15}) {
    CAPTURE(r);
    const SystemOfFields<Polar> system(Polar(), {});
    const CoordinateReport report = coordinate_report(system, {{"r", "phi"}, {"r'", "phi'"}, {}}, 0,
                                                      {Eigen::Vector2d(r, 0.3), Eigen::Vector2d(0, 1), {}});
    const auto affinities = by_name(report.affinities);
    REQUIRE(affinities.size() == 3);
    CHECK(std::abs(affinities.at("phi, phi -> r") / -r - 1) < 1e-14);
    CHECK(std::abs(affinities.at("r, phi -> phi") * r - 1) < 1e-14);
    CHECK(std::abs(affinities.at("phi, r -> phi") * r - 1) < 1e-14);
    for (const auto& none : {report.torsion, report.curvature, report.non_metricity}) CHECK(none.empty());
  }
}

TEST_CASE("a report needs a name for each coordinate, velocity and row") {
  const SystemOfFields<Polar> system(Polar(), {});
  const State x{Eigen::Vector2d(1, 0.3), Eigen::Vector2d(0, 1), {}};
  for (const CoordinateNames& names : {CoordinateNames{{"r"}, {"r'", "phi'"}, {}},
                                       {{"r", "phi"}, {"r'"}, {}},
                                       {{"r", "phi"}, {"r'", "phi'"}, {"rod"}}})
    CHECK_THROWS_WITH_AS(coordinate_report(system, names, 0, x),
                         "each coordinate, velocity and constraint row needs a name", std::invalid_argument);
}

TEST_CASE("a component that is not finite is listed") {
  const detail::ComponentList list({"x"});
  Tensor3<double, Eigen::Dynamic> C(2);
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    C(0, 0, 1) = value;
    CHECK_FALSE(std::isfinite(by_name(list.brackets(C)).at("x, t -> x")));
  }
}

}  // namespace torsor
