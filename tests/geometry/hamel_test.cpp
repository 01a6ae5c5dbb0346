#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/equations_of_motion.hpp"

using namespace torsor;
using namespace torsor::geometry;

TEST_CASE("vhb.frame3: the Volterra-Hamel-Boltzmann equations with a potential agree with the reference") {
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

TEST_CASE("with time as last coordinate, moving coordinates give the accelerations of coordinates at rest") {
  // x = q + a(t) in a metric h(x) gives L = h(x) (v + a')^2 / 2; the equations in x give the expected
  // accelerations.
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
    g(2, 2) += S(1);  // a constant energy that makes the metric regular and gives no force
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

TEST_CASE("systems of run-time size agree with those of fixed size") {
  constexpr int any = Eigen::Dynamic;
  const auto of_any_size = [](const auto& field) {
    return [field](const auto& q) {
      using S = typename std::decay_t<decltype(q)>::Scalar;
      return Matrix<S, any>(field(Vector<S, 3>(q)));
    };
  };
  const auto metric = of_any_size(frame3::metric);
  const BasisOver frame{CoordinateFrame<any>(), of_any_size(frame3::basis)};
  const Vec3 q = frame3::point(), v(0.8, -0.5, 1.3);
  const Vec expected = frame_equations(frame3::frame, frame3::metric, q, v).bias;
  CHECK(agree(hamel_equations(frame, kinetic_energy(metric), Vec(q), Vec(v)).bias, expected));
  CHECK(agree(frame_equations(frame, metric, Vec(q), Vec(v)).bias, expected));
  CHECK(agree(newton_equations(christoffel(frame, metric), metric, Vec(q), Vec(v)).bias, expected));
}
