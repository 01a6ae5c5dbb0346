#include "torsor/geometry/follow.hpp"

#include <numbers>

#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/christoffel.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

const auto sphere_metric = []<class S>(const Vector<S, 2>& q) {  // colatitude, longitude
  const S s = sin_cos(q[0]).sin;
  Matrix<S, 2> g;
  g << S(1), S(0), S(0), s * s;
  return g;
};
Vec3 place(const Vector<double, 2>& q) {
  return {std::sin(q[0]) * std::cos(q[1]), std::sin(q[0]) * std::sin(q[1]), std::cos(q[0])};
}

}  // namespace

TEST_CASE("integrated geodesics of the sphere are great circles and preserve lengths and angles") {
  const auto Gamma = christoffel(CoordinateFrame<2>(), sphere_metric);
  const Vector<double, 2> q(1.1, 0.3), n(0.4, 0.7);
  const Matrix<double, 2> E = random_matrix<2>();
  const Vec3 x = place(q);
  const Vec3 velocity =
      n[0] * Vec3(std::cos(q[0]) * std::cos(q[1]), std::cos(q[0]) * std::sin(q[1]), -std::sin(q[0])) +
      n[1] * Vec3(-std::sin(q[0]) * std::sin(q[1]), std::sin(q[0]) * std::cos(q[1]), 0);
  const double t = 1.5, angle = t * velocity.norm();
  const auto end = follow_autoparallel(Gamma, q, n, t, E);
  CHECK(agree(place(end.q), Vec3(std::cos(angle) * x + std::sin(angle) * velocity.normalized())));
  const Matrix<double, 2> g_0 = sphere_metric(q), g = sphere_metric(end.q);
  CHECK(agree(Matrix<double, 2>(end.carried.transpose() * g * end.carried),
              Matrix<double, 2>(E.transpose() * g_0 * E)));
  CHECK(agree(Vector<double, 2>(end.carried.transpose() * g * end.n),
              Vector<double, 2>(E.transpose() * g_0 * n)));
  // A connection that is not metric does not preserve lengths and angles.
  const Connection other{CoordinateFrame<2>(), random_affinities<2>(q)};
  const auto bent = follow_autoparallel(other, q, n, 0.5, E);
  const Matrix<double, 2> gram = bent.carried.transpose() * sphere_metric(bent.q) * bent.carried;
  CHECK_FALSE(agree(gram, Matrix<double, 2>(E.transpose() * g_0 * E), 1e-3));
}

TEST_CASE(
    "an autoparallel in a chart of run-time size is that of fixed size, with and without carried vectors") {
  const auto any_size = []<class S>(const Vector<S, Eigen::Dynamic>& q) {
    return Matrix<S, Eigen::Dynamic>(sphere_metric(Vector<S, 2>(q)));
  };
  const auto fixed = christoffel(CoordinateFrame<2>(), sphere_metric);
  const auto sized = christoffel(CoordinateFrame<Eigen::Dynamic>(), any_size);
  const Vector<double, 2> q(1.1, 0.3), n(0.4, 0.7);
  const Matrix<double, 2> E = random_matrix<2>();
  const auto expected = follow_autoparallel(fixed, q, n, 1.5, E);
  const auto bare = follow_autoparallel(sized, Vec(q), Vec(n), 1.5);
  const auto loaded = follow_autoparallel(sized, Vec(q), Vec(n), 1.5, Eigen::MatrixXd(E));
  CHECK(agree(bare.q, Vec(expected.q)));
  CHECK(bare.carried.cols() == 0);
  CHECK(agree(loaded.carried, Eigen::MatrixXd(expected.carried)));
}

TEST_CASE("transport once around a circle of latitude turns a vector by 2 pi cos(colatitude)") {
  const auto Gamma = christoffel(CoordinateFrame<2>(), sphere_metric);
  const double theta = 0.8, s = std::sin(theta), turn = 2 * std::numbers::pi * std::cos(theta);
  const auto circle = [&](double t) {
    return CurvePoint{Vector<double, 2>(theta, t), Vector<double, 2>(0, 1)};
  };
  const Vector<double, 2> u(0.6, -0.3 / s);
  const auto end = parallel_transport(Gamma, circle, u, 2 * std::numbers::pi);
  const Vector<double, 2> expected(std::cos(turn) * u[0] + std::sin(turn) * s * u[1],
                                   -std::sin(turn) * u[0] / s + std::cos(turn) * u[1]);
  CHECK(agree(end, expected));
}

TEST_CASE("integrated on a group, autoparallels and transport of canonical connections have closed forms") {
  using G = SE3<>;
  const G g = random_element<G>();
  const G::Tangent n = random_vector<6>(), m = random_vector<6>(), u = random_vector<6>();
  const double t = 0.9;
  for (const auto member : {Canonical::minus, Canonical::zero, Canonical::plus}) {
    const auto end = follow_autoparallel(canonical_connection<G>(member), g, n, t, Matrix<double, 6, 1>(u));
    CHECK(agree((autoparallel(g, n, t).inverse() * end.q).Ad(), G::identity().Ad()));
    CHECK(agree(end.n, n));
    CHECK(agree(Vector<double, 6>(end.carried), transport_along_autoparallel<G>(member, n, t, u)));
  }
  const auto curve = [&](double s) {
    return CurvePoint{g * G::exp(G::Tangent(s * n)) * G::exp(G::Tangent(s * m)),
                      G::Tangent(G::exp(G::Tangent(-s * m)).Ad(n) + m)};
  };
  CHECK(agree(parallel_transport(canonical_connection<G>(), curve, u, t), transport(g, curve(t).q, u)));
}

TEST_CASE("rigid_body.free: the motion without moment is the geodesic of the inertia") {
  const json& table = reference("rigid_body.free");
  const Constant<Mat3> inertia{matrix<3>(table.at("inertia"))};
  const auto Gamma = christoffel(LeftInvariantFrame<SO3<>>(), inertia);
  for (const json& entry : table.at("cases")) {
    const double t = entry.at("t");
    const auto end = follow_autoparallel(Gamma, SO3<>(), Vec3(vector<3>(table.at("Omega0"))), t,
                                         Matrix<double, 3, 0>(), 32);
    CHECK(agree(end.n, vector<3>(entry.at("Omega")), 1e-11));
    CHECK(agree(end.q.matrix(), matrix<3>(entry.at("R")), 1e-11));
  }
}

TEST_CASE("an autoparallel is the same curve in another frame, and dual numbers give its velocity") {
  const Vec3 q = frame3::point(), n = 0.5 * random_vector<3>();
  const Connection in_frame{frame3::frame, random_affinities<3>(q)};
  const auto end = follow_autoparallel(in_frame, q, n, 0.5);
  const auto below = follow_autoparallel(in_frame_below(in_frame), q, Vec3(frame3::basis(q) * n), 0.5);
  CHECK(agree(end.q, below.q));
  CHECK(agree(Vec3(frame3::basis(end.q) * end.n), below.n));
  using D = Dual<double>;
  const auto moved = follow_autoparallel(in_frame, Vector<D, 3>(q.cast<D>()), Vector<D, 3>(n.cast<D>()),
                                         D(0.5, 1));  // the t-derivative of the end is its velocity
  CHECK(agree(derivative_part(Vector<D, 3>(moved.q)), below.n, 1e-10));
}
