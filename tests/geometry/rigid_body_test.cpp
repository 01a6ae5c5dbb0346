#include "torsor/geometry/rigid_body.hpp"

#include <boost/numeric/odeint.hpp>

#include "geometry/random_fields.hpp"

using namespace torsor;
using namespace torsor::geometry;

TEST_CASE("eom.rigid_body: equations on both groups and about another point agree with the reference") {
  const json& table = reference("eom.rigid_body");
  using Twist = Vector<double, 6>;
  const double mass = table.at("mass").get<double>();
  const Mat3 I_C = matrix<3>(table.at("I_C"));
  const SO3<> R = SO3<>::from_matrix(matrix<3>(table.at("R")));
  const Twist v = vector<6>(table.at("v_direct")), f = vector<6>(table.at("f_direct"));
  const auto G = rigid_body_inertia(mass, Vec3(Vec3::Zero()), I_C);
  const Twist direct = invariant_equations<RigidBodyDirect<>>(G, v).acceleration(f);
  CHECK(agree(direct, vector<6>(table.at("vdot_direct"))));

  const Matrix<double, 6> A = direct_basis(R);
  const Twist v_semi = A * v, f_semi = A * f;  // A is orthogonal, so covectors transform as vectors do
  CHECK(agree(v_semi, vector<6>(table.at("v_semidirect"))));
  CHECK(agree(f_semi, vector<6>(table.at("f_semidirect"))));
  const Twist semi = invariant_equations<SE3<>>(G, v_semi).acceleration(f_semi);
  CHECK(agree(semi, vector<6>(table.at("vdot_semidirect"))));
  Twist rate_of_A = Twist::Zero();  // (R^T)' x' = -w x R^T x'
  rate_of_A.head<3>() = -cross(Vec3(v.tail<3>()), Vec3(v_semi.head<3>()));
  CHECK(agree(semi, Twist(A * direct + rate_of_A)));

  const auto G_offset = rigid_body_inertia(mass, Vec3(vector<3>(table.at("com_offset"))), I_C);
  CHECK(agree(G_offset, matrix<6>(table.at("G_offset"))));
  CHECK(agree(invariant_equations<SE3<>>(G_offset, v).acceleration(f),
              vector<6>(table.at("vdot_offset_semidirect"))));
}

TEST_CASE("the motion does not depend on the body point that describes it") {
  const Mat3 I_C = random_metric<3>();
  const Vec3 r = random_vector<3>();  // from O to C
  const SE3<> X_OC(SO3<>(), r);       // takes twists and wrenches about C to those about O
  const Vector<double, 6> v_C = random_vector<6>(), f_C = random_vector<6>();
  const auto a_C =
      invariant_equations<SE3<>>(rigid_body_inertia(1.4, Vec3(Vec3::Zero()), I_C), v_C).acceleration(f_C);
  const auto a_O = invariant_equations<SE3<>>(rigid_body_inertia(1.4, r, I_C), X_OC.Ad(v_C))
                       .acceleration(X_OC.inverse().Ad_transpose(f_C));
  CHECK(agree(a_O, Vector<double, 6>(X_OC.Ad(a_C))));
}

namespace {

/// Attitude and angular velocity after time t of I w' + w x I w = moment(R). Each step integrates in the
/// exponential chart R exp(xi) around the attitude R at its beginning.
template <class Moment>
std::pair<SO3<>, Vec3> turn(const Mat3& inertia, SO3<> R, Vec3 w, double t, const Moment& moment) {
  using State = std::array<double, 6>;
  const int steps = static_cast<int>(std::lround(t * 200));
  boost::numeric::odeint::runge_kutta_fehlberg78<State> step;
  for (int k = 0; k < steps; ++k) {
    const auto rate = [&](const State& x, State& x_dot, double) {
      const Vec3 xi(x[0], x[1], x[2]), v(x[3], x[4], x[5]);
      const Vec3 xi_dot = SO3<>::dexp_inv(xi, v);
      const Vec3 v_dot = invariant_equations<SO3<>>(inertia, v).acceleration(moment(R * SO3<>::exp(xi)));
      for (std::size_t i = 0; i < 3; ++i) x_dot[i] = xi_dot[int(i)], x_dot[3 + i] = v_dot[int(i)];
    };
    State x{0, 0, 0, w[0], w[1], w[2]};
    step.do_step(rate, x, 0., t / steps);
    R = (R * SO3<>::exp({x[0], x[1], x[2]})).normalized();
    w = {x[3], x[4], x[5]};
  }
  return {R, w};
}

}  // namespace

TEST_CASE("rigid_body.free: attitude, energy and spatial momentum agree with the reference") {
  const json& table = reference("rigid_body.free");
  CHECK(table.at("R0") == "identity");
  const Mat3 I = matrix<3>(table.at("inertia"));
  for (const json& entry : table.at("cases")) {
    const auto no_moment = [](const SO3<>&) { return Vec3(Vec3::Zero()); };
    const auto [R, w] =
        turn(I, SO3<>(), vector<3>(table.at("Omega0")), entry.at("t").get<double>(), no_moment);
    CHECK(agree(w, vector<3>(entry.at("Omega"))));
    CHECK(agree(R.matrix(), matrix<3>(entry.at("R"))));
    CHECK(w.dot(I * w) / 2 == doctest::Approx(table.at("energy").get<double>()).epsilon(1e-12));
    CHECK(agree(R * Vec3(I * w), vector<3>(table.at("spatial_angular_momentum"))));
  }
}

TEST_CASE("rigid_body.heavy_top: attitude, velocity and energy agree with the reference") {
  const json& table = reference("rigid_body.heavy_top");
  const Mat3 I = matrix<3>(table.at("inertia"));
  const Vec3 mgr = vector<3>(table.at("mgr_body"));
  const auto weight = [&](const SO3<>& at) { return cross(mgr, at.inverse() * Vec3(0, 0, -1)); };
  const auto [R, w] = turn(I, SO3<>::exp(vector<3>(table.at("rotvec0"))), vector<3>(table.at("Omega0")),
                           table.at("t").get<double>(), weight);
  CHECK(agree(w, vector<3>(table.at("Omega"))));
  CHECK(agree(R.matrix(), matrix<3>(table.at("R"))));
  CHECK(w.dot(I * w) / 2 + (R * mgr)[2] == doctest::Approx(table.at("energy").get<double>()).epsilon(1e-12));
}
