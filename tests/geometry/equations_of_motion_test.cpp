#include "torsor/geometry/equations_of_motion.hpp"

#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/hamel.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/lie/se2.hpp"

using namespace torsor;

namespace {

template <class Metric>
auto kinetic_energy(const Metric& metric) {
  return [metric](const auto& q, const auto& v) {
    using S = typename std::decay_t<decltype(v)>::Scalar;
    return S(S(0.5) * v.dot(metric(q) * v));
  };
}

template <class A, class B>
void check_same(const A& a, const B& b) {
  CHECK(agree(a.mass, b.mass));
  CHECK(agree(a.bias, b.bias));
}

}  // namespace

TEST_CASE("vhb.frame3: the Volterra-Hamel-Boltzmann equations with a potential") {
  const json& table = reference("vhb.frame3");
  const Vec3 q = frame3::point(), v = vector<3>(table.at("v"));
  const auto U = []<class S>(const Vector<S, 3>& at) { return S(at[0] * at[0] * at[1] / S(2) + at[2]); };
  const auto lagrangian = [U](const auto& at, const auto& w) {
    return kinetic_energy(frame3::metric)(at, w) - U(at);
  };
  const auto hamel = hamel_equations(frame3::frame, lagrangian, q, v);
  CHECK(agree(Vec3(hamel.mass * v), vector<3>(table.at("p"))));
  CHECK(agree(hamel.bias, vector<3>(table.at("rhs"))));
  CHECK(agree(hamel.acceleration(Vec3::Zero()), vector<3>(table.at("vdot"))));

  Vec3 dU;
  for (int k = 0; k < 3; ++k) dU[k] = frame_derivatives(frame3::frame, q, U)[k];
  CHECK(agree(dU, vector<3>(table.at("dU"))));
  const auto Gamma = christoffel(frame3::frame, frame3::metric);
  CHECK(agree(newton_equations(Gamma, frame3::metric, q, v).acceleration(-dU),
              hamel.acceleration(Vec3::Zero())));
}

TEST_CASE("connection.frame3: the bias of Gamma, by the connection, the frame and the Lagrangian") {
  const json& table = frame3::table();
  const Vec3 q = frame3::point(), v = vector<3>(table.at("v"));
  const auto newton = newton_equations(christoffel(frame3::frame, frame3::metric), frame3::metric, q, v);
  CHECK(agree(newton.bias, vector<3>(table.at("bias_Gamma"))));
  check_same(frame_equations(frame3::frame, frame3::metric, q, v), newton);
  check_same(hamel_equations(frame3::frame, kinetic_energy(frame3::metric), q, v), newton);
}

TEST_CASE("the forms of the equations agree for a metric field on a group") {
  const SE2<> g = random_element<SE2<>>();
  const Vec3 v = random_vector<3>();
  const LeftInvariantFrame<SE2<>> frame;
  const auto metric = random_metric_field<3>(g);
  const auto newton = newton_equations(christoffel(frame, metric), metric, g, v);
  check_same(frame_equations(frame, metric, g, v), newton);
  check_same(hamel_equations(frame, kinetic_energy(metric), g, v), newton);
  const BasisOver other{frame, random_basis<3>(g)};
  check_same(hamel_equations(other, kinetic_energy(metric), g, v), frame_equations(other, metric, g, v));
}

TEST_CASE_TEMPLATE("the forms of the equations agree for a left-invariant inertia", G, SE3<>, Direct) {
  using Tangent = typename G::Tangent;
  const G g = random_element<G>();
  const LeftInvariantFrame<G> frame;
  const auto inertia = random_metric<G::dof>();
  const Constant metric{inertia};
  const Tangent v = random_vector<G::dof>();
  const auto euler = invariant_equations<G>(inertia, v);
  check_same(newton_equations(canonical_connection<G>(), metric, g, v), euler);
  check_same(newton_equations(christoffel(frame, metric), metric, g, v), euler);
  check_same(frame_equations(frame, metric, g, v), euler);
  check_same(hamel_equations(frame, kinetic_energy(metric), g, v), euler);
  const auto wrong = newton_equations(canonical_connection<G>(Canonical::zero), metric, g, v);
  CHECK(greatest(wrong.bias - euler.bias) > 1e-3);
}

TEST_CASE("with time as last coordinate, moving coordinates give the law of those at rest") {
  // x = q + a(t) in a metric h(x): L = h(x) (v + a')^2 / 2, whose forces are known from the law in x.
  const auto h = []<class S>(const Vector<S, 2>& x) {
    Matrix<S, 2> g;
    g << S(2) + x[0] * x[0], x[1] / S(3), x[1] / S(3), S(3) + x[0] * x[1] / S(2);
    return g;
  };
  const auto shift = []<class S>(const S& t) { return Vector<S, 2>(sin_cos(t).sin, t * t * t / S(5)); };
  const auto event_metric = [=]<class S>(const Vector<S, 3>& at) {
    const Vector<Dual<S>, 2> a = shift(Dual<S>(at[2], S(1)));
    Matrix<S, 2, 3> J = Matrix<S, 2, 3>::Identity();  // x' = J (v, 1)
    J.col(2) << a[0].derivative, a[1].derivative;
    const Vector<S, 2> x = Vector<S, 2>(at[0], at[1]) + Vector<S, 2>(a[0].value, a[1].value);
    Matrix<S, 3> g = J.transpose() * h(x) * J;
    g(2, 2) += S(1);  // a constant energy makes it regular and gives no force
    return g;
  };
  const double t = 0.7;
  const Vector<double, 2> q(0.3, -0.8), v(0.5, 1.2), f(0.4, -0.3);
  const Vector<double, 2> a = shift(t), da(std::cos(t), 3 * t * t / 5), dda(-std::sin(t), 6 * t / 5);
  const Vector<double, 2> expected =
      frame_equations(CoordinateFrame<2>(), h, Vector<double, 2>(q + a), Vector<double, 2>(v + da))
          .acceleration(f) -
      dda;

  const Vec3 event(q[0], q[1], t), v_event(v[0], v[1], 1);
  const CoordinateFrame<3> chart;
  const auto hamel = hamel_equations(chart, kinetic_energy(event_metric), event, v_event);
  const auto newton = newton_equations(christoffel(chart, event_metric), event_metric, event, v_event);
  CHECK(agree(spatial_part(hamel).acceleration(f), expected));
  CHECK(agree(spatial_part(newton).acceleration(f), expected));
  CHECK(agree(spatial_part(frame_equations(chart, event_metric, event, v_event)).acceleration(f), expected));
}
