#include "torsor/geometry/detail/constraint_ode.hpp"

#include "geometry/moving_pendulum.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

/// The row d phi/dx of phi = |x - pivot(t)|^2 - L^2, and its offset d phi/dt.
struct Rows {
  moving_pendulum::Parameters p;
  template <class S>
  Matrix<S, 1, 3> operator()(const Vector<S, 4>& at) const {
    return S(2) * Matrix<S, 1, 3>(at[0], at[1], at[2] - p.height(at[3]));
  }
};
struct Offset {
  moving_pendulum::Parameters p;
  template <class S>
  Vector<S, 1> operator()(const Vector<S, 4>& at) const {
    return Vector<S, 1>(S(-2) * (at[2] - p.height(at[3])) * p.height_rate(at[3]));
  }
};
struct LinearForce {
  Mat3 K, D;
  double weight;
  template <class S>
  Vector<S, 3> operator()(const Vector<S, 4>& at, const Vector<S, 3>& v) const {
    Vector<S, 3> f = -(K.cast<S>() * at.template head<3>() + D.cast<S>() * v);
    f[2] -= S(weight);
    return f;
  }
};

}  // namespace

TEST_CASE("ode.moving_pendulum: coefficients, multiplier and constraint equation agree with the reference") {
  const json& table = reference("ode.moving_pendulum");
  const moving_pendulum::Parameters p(table);
  const Vector<double, 4> at = event(vector<3>(table.at("x")), table.at("t").get<double>());
  const Vec3 v = vector<3>(table.at("v"));
  const auto metric = moving_pendulum::free_particle(p.m, 0.5);
  const Rows rows{p};
  const Offset offset{p};
  const LinearForce force{matrix<3>(table.at("K")), matrix<3>(table.at("D")),
                          p.m * table.at("gravity").get<double>()};
  const auto ode = constraint_ode(metric, rows, offset, force, at, v);
  const auto number = [&](const char* key) { return Vector<double, 1>(table.at(key).get<double>()); };
  CHECK(agree(ode.m, number("m_RR")));
  CHECK(agree(ode.m0, number("m_R0")));
  CHECK(agree(ode.c, number("c_RR")));
  CHECK(agree(ode.stiffness, number("k_RR")));
  CHECK(agree(ode.f, number("f_R")));
  CHECK(agree(ode.m_dot, number("m_RR_dot")));
  CHECK(agree(ode.m0_dot, number("m_R0_dot")));

  const CoordinateFrame<4> chart;
  const auto point = constrained_point(event_metric(metric(at)).g, rows(at));
  CHECK(agree(point.A, matrix<1, 3>(table.at("A"))));
  CHECK(agree(offset(at), number("a0")));
  CHECK(agree(Vec3(point.C), vector<3>(table.at("c_R"))));
  CHECK(agree(point.offset(offset(at)), vector<3>(table.at("c_R0"))));
  const auto columns = [&](const auto& q) { return constrained_point(event_metric(metric(q)).g, rows(q)).C; };
  const Vec3 C_t = derivative_along(chart, at, Vector<double, 4>(Vector<double, 4>::Unit(3)), columns);
  CHECK(agree(C_t, vector<3>(table.at("c_R_explicit_dt"))));
  const Vector<double, 4> velocity = event_velocity(v);
  const Vector<double, 1> gamma =
      derivative_along(chart, at, velocity, rows) * v + derivative_along(chart, at, velocity, offset);
  CHECK(agree(gamma, number("gamma")));
  const Vector<double, 1> rest = gamma - ode.violation_acceleration(number("phi"), number("phidot"));
  const Vec3 f = force(at, v);
  const Vector<double, 1> Lambda = point.multiplier(f, rest);
  CHECK(agree(Lambda, number("multiplier")));
  CHECK(agree(point.acceleration(f, rest), vector<3>(table.at("vdot"))));
  CHECK(agree(ode.acceleration(Lambda, number("lam"), number("lamdot")), number("lamddot")));
}
