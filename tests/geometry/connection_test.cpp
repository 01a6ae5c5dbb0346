#include "torsor/geometry/connection.hpp"

#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/geometry/change_of_basis.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/lie/se2.hpp"

using namespace torsor;
using namespace torsor::geometry;

TEST_CASE(
    "connection.frame3: the frame, its brackets and the derivatives of the metric agree with the reference") {
  const json& table = frame3::table();
  const Vec3 q = frame3::point();
  CHECK(agree(frame3::basis(q), matrix<3>(table.at("E"))));
  CHECK(agree(frame3::metric(q), matrix<3>(table.at("g"))));
  CHECK(agree(frame3::frame.structure_coefficients(q), tensor3<3>(table.at("c"))));
  const auto dg = frame_derivatives(frame3::frame, q, frame3::metric);
  for (std::size_t k = 0; k < 3; ++k) CHECK(agree(dg[k], matrix<3>(table.at("dg").at(k))));
}

TEST_CASE("connection.frame3: the Christoffel connection has neither torsion nor non-metricity") {
  const json& table = frame3::table();
  const Vec3 q = frame3::point();
  const auto Gamma = christoffel(frame3::frame, frame3::metric);
  CHECK(agree(Gamma.affinities(q), tensor3<3>(table.at("Gamma"))));
  CHECK(greatest(torsion(Gamma, q)) < 1e-14);
  CHECK(greatest(non_metricity(Gamma, frame3::metric, q)) < 1e-14);
  CHECK(agree(curvature(Gamma, q), tensor4<3>(table.at("R"))));
}

TEST_CASE("connection.frame3: torsion, non-metricity and curvature of Gamma + S agree with the reference") {
  const json& table = frame3::table();
  const Vec3 q = frame3::point();
  const auto Gamma = christoffel(frame3::frame, frame3::metric);
  const auto S = Constant{tensor3<3>(table.at("S"))};
  const auto Lambda = Connection{frame3::frame, [=](const auto& at) { return Gamma.affinities(at) + S(at); }};
  CHECK(agree(torsion(Lambda, q), tensor3<3>(table.at("Lambda_torsion"))));
  CHECK(agree(non_metricity(Lambda, frame3::metric, q), tensor3<3>(table.at("Lambda_Dg"))));
  CHECK(agree(curvature(Lambda, q), tensor4<3>(table.at("Lambda_R"))));
}

TEST_CASE(
    "connection.frame3: written in the chart, Gamma is the Christoffel connection of the chart's metric") {
  const json& table = frame3::table();
  const Vec3 q = frame3::point();
  const auto Gamma = christoffel(frame3::frame, frame3::metric);
  const auto chart_metric = []<class S>(const Vector<S, 3>& at) {
    const Matrix<S, 3> B = inverse(frame3::basis(at));
    return Matrix<S, 3>(B.transpose() * frame3::metric(at) * B);
  };
  CHECK(agree(chart_metric(q), matrix<3>(table.at("chart_metric"))));
  const auto expected = tensor3<3>(table.at("chart_Gamma"));
  CHECK(agree(christoffel(CoordinateFrame<3>(), chart_metric).affinities(q), expected));
  CHECK(agree(in_frame_below(Gamma).affinities(q), expected));
  const auto back = []<class S>(const Vector<S, 3>& at) { return inverse(frame3::basis(at)); };
  CHECK(agree(in_basis(Gamma, back).affinities(q), expected));
}

namespace {

/// Identities that any connection and any metric obey at a point.
template <class C, class Metric, class Point>
void check_identities(const C& connection, const Metric& metric, const Point& q) {
  constexpr int n = decltype(connection.frame)::dof;
  using Components = Vector<double, n>;
  const auto L = connection.affinities(q);
  const auto t = torsion(connection, q);
  const auto R = curvature(connection, q);
  const auto D = non_metricity(connection, metric, q);
  const auto dt =
      frame_derivatives(connection.frame, q, [&](const auto& at) { return torsion(connection, at); });

  const auto nabla_t = [&](int k, int i, int j) -> Components {  // (nabla_k t)(e_i, e_j)
    return Components(dt[k].along(i).col(j)) + L.along(k) * t.along(i).col(j) -
           t.along(Components(L.along(k).col(i))).col(j) - t.along(i) * L.along(k).col(j);
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      CHECK(greatest(t.along(i).col(j) + t.along(j).col(i)) < 1e-12);
      CHECK(greatest(R.along(i, j) + R.along(j, i)) < 1e-12);
      for (int k = 0; k < n; ++k) {
        CHECK(D(k, i, j) == doctest::Approx(D(k, j, i)).epsilon(1e-12));
        Components bianchi = Components::Zero();
        for (const auto& [a, b, d] : {std::array{i, j, k}, std::array{j, k, i}, std::array{k, i, j}}) {
          bianchi += R.along(a, b).col(d) - nabla_t(a, b, d) - t.along(Components(t.along(a).col(b))).col(d);
        }
        CHECK(greatest(bianchi) < 1e-11);
      }
    }
  }
}

}  // namespace

TEST_CASE("antisymmetries and the first Bianchi identity with torsion hold in charts and on groups") {
  for (int draw = 0; draw < 3; ++draw) {
    const Vec3 q = random_vector<3>();
    check_identities(Connection{frame3::frame, random_affinities<3>(q)}, frame3::metric, q);
    const SO3<> g = random_element<SO3<>>();
    check_identities(Connection{LeftInvariantFrame<SO3<>>(), random_affinities<3>(g)},
                     random_metric_field<3>(g), g);
  }
}

namespace {

/// Checks that the sum of (nabla_i R)(e_j, e_k) + R(t(e_i, e_j), e_k) over cyclic permutations vanishes.
template <class C, class Point>
void check_second_bianchi(const C& connection, const Point& q) {
  constexpr int n = decltype(connection.frame)::dof;
  using Square = Matrix<double, n>;
  using Components = Vector<double, n>;
  const auto L = connection.affinities(q);
  const auto t = torsion(connection, q);
  const auto R = curvature(connection, q);
  const auto dR =
      frame_derivatives(connection.frame, q, [&](const auto& at) { return curvature(connection, at); });
  const auto along = [&](const Components& u, const Components& w) {
    Square sum = Square::Zero();
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) sum += u[a] * w[b] * R.along(a, b);
    return sum;
  };
  const auto e = [](int i) { return Components(Components::Unit(i)); };
  const auto term = [&](int i, int j, int k) {
    const Square L_i = L.along(i), R_jk = R.along(j, k);
    return Square(Square(dR[i].along(j, k)) + L_i * R_jk - R_jk * L_i - along(L_i.col(j), e(k)) -
                  along(e(j), L_i.col(k)) + along(t.along(i).col(j), e(k)));
  };
  double worst = 0, greatest_term = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const Square a = term(i, j, k), b = term(j, k, i), c = term(k, i, j);
        worst = greatest(worst, a + b + c);
        greatest_term = greatest(greatest_term, a);
      }
    }
  }
  CHECK(greatest_term > 0.1);
  CHECK(worst < 1e-12 * greatest_term);
}

}  // namespace

TEST_CASE("the second Bianchi identity with torsion holds in charts and on groups") {
  for (int draw = 0; draw < 3; ++draw) {
    const Vec3 q = random_vector<3>();
    check_second_bianchi(Connection{frame3::frame, random_affinities<3>(q)}, q);
    const SE2<> g = random_element<SE2<>>();
    check_second_bianchi(Connection{LeftInvariantFrame<SE2<>>(), random_affinities<3>(g)}, g);
    check_second_bianchi(christoffel(LeftInvariantFrame<SE2<>>(), random_metric_field<3>(g)), g);
  }
}

TEST_CASE(
    "the curvature of a metric connection is antisymmetric, that of Levi-Civita obeys Bianchi's identity "
    "without torsion terms") {
  const SE2<> g = random_element<SE2<>>();
  const auto metric = random_metric_field<3>(g);
  const auto Gamma = christoffel(LeftInvariantFrame<SE2<>>(), metric);
  const auto R = curvature(Gamma, g);
  CHECK(greatest(torsion(Gamma, g)) < 1e-13);
  CHECK(greatest(non_metricity(Gamma, metric, g)) < 1e-13);
  CHECK(greatest(R) > 1e-2);
  for (int k = 0; k < 3; ++k) {
    for (int l = 0; l < 3; ++l) {
      const Mat3 lowered = metric(g) * R.along(k, l);
      CHECK(greatest(lowered + lowered.transpose()) < 1e-11);
      for (int j = 0; j < 3; ++j)
        CHECK(greatest(R.along(k, l).col(j) + R.along(l, j).col(k) + R.along(j, k).col(l)) < 1e-11);
    }
  }
}

namespace {

void check_change_of_frame(const Vec3& q) {
  const Connection old{frame3::frame, random_affinities<3>(q)};
  const auto A = random_basis<3>(q);
  const auto changed = in_basis(old, A);
  const auto metric = [A](const auto& at) { return metric_in_basis(frame3::metric(at), A(at)); };
  const Mat3 at_q = A(q);
  CHECK(agree(torsion(changed, q), vector_valued_in_basis(torsion(old, q), at_q)));
  CHECK(agree(curvature(changed, q), vector_valued_in_basis(curvature(old, q), at_q), 1e-11));
  CHECK(agree(non_metricity(changed, metric, q),
              covariant_in_basis(non_metricity(old, frame3::metric, q), at_q)));
  CHECK(agree(in_frame_below(changed).affinities(q), old.affinities(q)));
  CHECK(greatest((changed.affinities(q) - vector_valued_in_basis(old.affinities(q), at_q)).flat()) > 1e-2);
}

}  // namespace

TEST_CASE("torsion, curvature and non-metricity are tensors under a change of frame") {
  for (int draw = 0; draw < 3; ++draw) check_change_of_frame(random_vector<3>());
}

TEST_CASE("changes of basis leave pairings of vectors, covectors and metrics unchanged") {
  const Mat3 A = frame3::basis(frame3::point());
  const Vec3 v = random_vector<3>(), p = random_vector<3>();
  const Mat3 g = random_metric<3>();
  const Vec3 v_new = vector_in_basis(v, A);
  CHECK(covector_in_basis(p, A).dot(v_new) == doctest::Approx(p.dot(v)).epsilon(1e-13));
  CHECK(v_new.dot(metric_in_basis(g, A) * v_new) == doctest::Approx(v.dot(g * v)).epsilon(1e-13));
}
