// A sphere that rolls on a turntable; the rotation of the turntable makes the constraints acatastatic.
#include <boost/numeric/odeint.hpp>

#include "geometry/reference.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/detail/constraint_ode.hpp"
#include "torsor/geometry/event_manifold.hpp"
#include "torsor/geometry/scleronomicity.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

using EventPoint = Product<Rn<3>, SO3<>, Rn<1>>;  ///< centre, orientation, time

const json& table() { return reference("event.turntable_sphere"); }

struct Turntable {
  double m = table().at("mass"), J = table().at("J"), r = table().at("radius"), Omega = table().at("Omega");
};

/// The frame in which linear and angular velocities are in inertial axes.
struct InertialAxes {
  template <class Point>
  auto operator()(const Point& g) const {
    using S = typename Point::Scalar;
    Matrix<S, 7> E = Matrix<S, 7>::Identity();
    E.template block<3, 3>(3, 3) = g.template get<1>().matrix().transpose();
    return E;
  }
};
/// The rolling constraints x3' = 0, x1' - r w2 + Omega x2 = 0, x2' + r w1 - Omega x1 = 0.
struct Rows {
  Turntable p;
  template <class Point>
  auto operator()(const Point&) const {
    using S = typename Point::Scalar;
    Matrix<S, 3, 6> A = Matrix<S, 3, 6>::Constant(S(0));
    A(0, 2) = S(1), A(1, 0) = S(1), A(1, 4) = S(-p.r), A(2, 1) = S(1), A(2, 3) = S(p.r);
    return A;
  }
};
struct Offset {
  Turntable p;
  template <class Point>
  auto operator()(const Point& g) const {
    using S = typename Point::Scalar;
    const auto& x = g.template get<0>().p;
    return Vector<S, 3>(S(0), S(p.Omega) * x[1], S(-p.Omega) * x[0]);
  }
};
/// The basis of rolling along x1, rolling along x2, and spin.
struct Basis {
  Turntable p;
  template <class Point>
  auto operator()(const Point&) const {
    using S = typename Point::Scalar;
    Matrix<S, 6, 3> N = Matrix<S, 6, 3>::Constant(S(0));
    N(0, 0) = S(1), N(4, 0) = S(1 / p.r), N(1, 1) = S(1), N(3, 1) = S(-1 / p.r), N(5, 2) = S(1);
    return N;
  }
};

struct Sphere {
  Turntable p;
  BasisOver<LeftInvariantFrame<EventPoint>, InertialAxes> axes{{}, {}};
  Constant<Matrix<double, 7>> metric{
      (Vector<double, 7>() << p.m, p.m, p.m, p.J, p.J, p.J, table().at("G00").get<double>())
          .finished()
          .asDiagonal()};

  auto basis() const { return acatastatic_basis(metric, Rows{p}, Offset{p}, Basis{p}); }
  auto freedoms() const { return distribution<4>(axes, basis(), metric); }
  auto induced() const {
    return induced_metric(Inclusion{freedoms(), [](const auto& g) { return g; }, basis()}, metric);
  }
};

EventPoint at(const Vector<double, 2>& x) {
  return {Rn<3>(Vec3(x[0], x[1], 0)), SO3<>::exp({0.3, -0.7, 0.2}), Rn<1>(Vector<double, 1>(0.4))};
}

}  // namespace

TEST_CASE("event.turntable_sphere: constraints, offset and metric agree with the reference") {
  const Sphere sphere;
  const EventPoint g = at(vector<2>(table().at("x")));
  const auto metric = event_metric(sphere.metric(g));
  const auto point = constrained_point(metric.g, Rows{sphere.p}(g));
  const Vec3 a0 = Offset{sphere.p}(g);
  CHECK(agree(point.A, matrix<3, 6>(table().at("A"))));
  CHECK(agree(a0, vector<3>(table().at("a0"))));
  CHECK(agree(point.M_c, matrix<3>(table().at("M_c"))));
  CHECK(agree(point.C, matrix<6, 3>(table().at("C"))));
  CHECK(agree(point.offset(a0), vector<6>(table().at("nu"))));
  CHECK(agree(Basis{sphere.p}(g), matrix<6, 3>(table().at("N"))));
  CHECK(agree(sphere.induced()(g), matrix<4>(table().at("g_event"))));

  const Matrix<double, 6, 3> C = matrix<6, 3>(table().at("C_seed"));
  Matrix<double, 6, 3> C0 = Matrix<double, 6, 3>::Zero();
  C0.col(1) = vector<6>(table().at("c20")), C0.col(2) = vector<6>(table().at("c30"));
  const Matrix<double, 3, 2> masses = constraint_masses(metric, C, C0);
  CHECK(agree(Vec3(masses.col(0)), vector<3>(table().at("m_RR"))));
  CHECK(agree(Vec3(masses.col(1)), vector<3>(table().at("m_R0"))));
}

TEST_CASE(
    "event.turntable_sphere: brackets of the centre's motion and of the sphere have the expected values") {
  const Sphere sphere;
  const Vector<double, 2> x = vector<2>(table().at("x"));
  const auto of_centre = [&]<class S>(const Vector<S, 3>& y) {  // on (x1, x2, t)
    using Over = EventPoint::Over<S>;
    const Over g(Rn<3, S>(Vector<S, 3>(y[0], y[1], S(0))), SO3<S>(), Rn<1, S>(Vector<S, 1>(y[2])));
    const Matrix<S, 7, 4> N_bar = sphere.basis()(g);
    return Matrix<S, 3>(N_bar({0, 1, 6}, {0, 1, 3}));
  };
  const auto c = BasisOver(CoordinateFrame<3>(), of_centre).structure_coefficients(event(x, 0.4));
  CHECK(c(0, 2, 1) == doctest::Approx(table().at("c1_02").get<double>()).epsilon(1e-12));
  CHECK(c(1, 0, 2) == doctest::Approx(table().at("c2_10").get<double>()).epsilon(1e-12));
  CHECK(c(0, 2, 1) == doctest::Approx(table().at("kappa").get<double>()).epsilon(1e-12));

  const auto projected = sphere.freedoms().structure_coefficients(at(x));
  const double r = sphere.p.r, share = sphere.p.J / (sphere.p.m * r * r + sphere.p.J);
  CHECK(projected(2, 0, 1) == doctest::Approx(-1 / (r * r)).epsilon(1e-12));
  CHECK(projected(1, 0, 2) == doctest::Approx(share).epsilon(1e-12));
  CHECK(projected(0, 1, 2) == doctest::Approx(-share).epsilon(1e-12));
}

TEST_CASE("event.turntable_sphere: the mass does not vary with time, but there is a centrifugal potential") {
  const Sphere sphere;
  const EventPoint g = at(vector<2>(table().at("x")));
  const auto report = scleronomicity(sphere.freedoms(), sphere.induced(), g, 1 / sphere.p.Omega);
  CHECK(report.scaled_S1 < 1e-13);
  CHECK(agree(report.S2, vector<3>(table().at("d_g00_standard"))));
}

TEST_CASE("event.turntable_sphere: the centre moves on a circle") {
  const Sphere sphere;
  const json& motion = table().at("motion");
  const double kappa = table().at("kappa");
  using State = std::array<double, 5>;  // x1, x2, and the three independent velocities
  const auto freedoms = sphere.freedoms();
  const auto induced = sphere.induced();
  const auto field = [&](const State& x, State& x_dot, double) {
    const EventPoint g = at({x[0], x[1]});
    const Vector<double, 4> u(x[2], x[3], x[4], 1);
    const Vector<double, 7> v = freedoms.below(g, u);
    const Vec3 u_dot = spatial_part(frame_equations(freedoms, induced, g, u)).acceleration(Vec3::Zero());
    x_dot = {v[0], v[1], u_dot[0], u_dot[1], u_dot[2]};
  };
  const Vector<double, 2> x0 = vector<2>(table().at("x")), v0 = vector<2>(motion.at("xdot0"));
  State x{x0[0], x0[1], v0[0] + kappa * x0[1], v0[1] - kappa * x0[0], 0.6};  // u = x' - nu
  namespace odeint = boost::numeric::odeint;
  const auto stepper = odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(1e-14, 1e-14);
  odeint::integrate_adaptive(stepper, field, x, 0., motion.at("t").get<double>(), 0.1);
  State x_dot;
  field(x, x_dot, 0);
  CHECK(agree(Vector<double, 2>(x[0], x[1]), vector<2>(motion.at("x"))));
  CHECK(agree(Vector<double, 2>(x_dot[0], x_dot[1]), vector<2>(motion.at("xdot"))));
  // The centre moves on a circle: x' = kappa (c2 - x2, x1 - c1).
  CHECK(agree(Vector<double, 2>(x[0] - x_dot[1] / kappa, x[1] + x_dot[0] / kappa),
              vector<2>(motion.at("centre"))));
}

TEST_CASE("acatastatic rows: the table supplies the power of the reaction along the table's motion") {
  const Sphere sphere;
  const EventPoint g = at(vector<2>(table().at("x")));
  const auto freedoms = sphere.freedoms();
  const Vector<double, 4> u(0.7, -0.4, 0.9, 1);
  const Vector<double, 6> load(0.3, -0.2, 0, 0.1, 0.05, -0.07);
  const Vector<double, 7> v = freedoms.below(g, u);
  const Vector<double, 6> nu = sphere.basis()(g).col(3).head<6>();
  const Vector<double, 3> f = sphere.basis()(g).topLeftCorner<6, 3>().transpose() * load;
  const auto equations = frame_equations(freedoms, sphere.induced(), g, u);
  const Vec3 u_dot = spatial_part(equations).acceleration(f);

  // Lambda of G v' = f + A^T Lambda in inertial axes, where the sphere has no bias; the power is
  // -Lambda . a0.
  const Offset offset{sphere.p};
  const Rows rows{sphere.p};
  const auto point = constrained_point(event_metric(sphere.metric(g)).g, rows(g));
  const Vec3 gamma = derivative_along(sphere.axes, g, v, rows) * Vector<double, 6>(v.head<6>()) +
                     derivative_along(sphere.axes, g, v, offset);
  const double power = -point.multiplier(load, gamma).dot(offset(g));
  REQUIRE(std::abs(power) > 1e-3);
  CHECK(prescribed_power(equations, u_dot, load.dot(nu)) == doctest::Approx(power).epsilon(1e-12));
}
