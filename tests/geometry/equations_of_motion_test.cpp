#include "torsor/geometry/equations_of_motion.hpp"

#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/lie/se2.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

template <class A, class B>
void check_same(const A& a, const B& b) {
  CHECK(agree(a.mass, b.mass));
  CHECK(agree(a.bias, b.bias));
}

}  // namespace

TEST_CASE("connection.frame3: the bias of Gamma follows from the connection, the frame or the Lagrangian") {
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

TEST_CASE("the bias is g L(v, v) plus the non-metricity along v") {
  const Vec3 q = frame3::point(), v = random_vector<3>();
  const Connection connection{frame3::frame, random_affinities<3>(q)};
  const auto D = non_metricity(connection, frame3::metric, q);
  Vec3 expected = frame3::metric(q) * connection.affinities(q)(v, v);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) expected[i] += D(k, i, j) * v[k] * v[j];
    }
  }
  CHECK(agree(newton_equations(connection, frame3::metric, q, v).bias, expected));
}
