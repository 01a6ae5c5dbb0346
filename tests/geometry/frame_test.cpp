#include "torsor/geometry/frame.hpp"

#include "geometry/frame3.hpp"
#include "geometry/random_fields.hpp"
#include "torsor/lie/se2.hpp"
#include "torsor/lie/semidirect_product.hpp"

using namespace torsor;
using namespace torsor::geometry;

static_assert(FrameAt<CoordinateFrame<3>, Vec3>);
static_assert(FrameAt<CoordinateFrame<Eigen::Dynamic>, Vec>);
static_assert(FrameAt<LeftInvariantFrame<SE3<>>, SE3<>>);
static_assert(FrameAt<decltype(frame3::frame), Vec3>);

namespace {

/// Checks [e_i, e_j](f) = c(k, i, j) e_k(f), where dual numbers of dual numbers give e_i(e_j(f)).
template <class Frame, class Point>
void check_brackets(const Frame& frame, const Point& q) {
  constexpr int n = Frame::dof;
  const RandomField<1> f(random_matrix<1>(), q);
  const auto e = [&](int i) {
    return [&frame, &f, i](const auto& at) {
      using S = typename std::decay_t<decltype(at)>::Scalar;
      return derivative_along(frame, at, Vector<S, n>(Vector<S, n>::Unit(i)), f);
    };
  };
  const auto c = frame.structure_coefficients(q);
  const auto gradient = frame_derivatives(frame, q, f);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double bracket = 0;
      for (int k = 0; k < n; ++k) bracket += c(k, i, j) * gradient[k](0);
      const double twice =
          derivative_along(frame, q, Vector<double, n>(Vector<double, n>::Unit(i)), e(j))(0) -
          derivative_along(frame, q, Vector<double, n>(Vector<double, n>::Unit(j)), e(i))(0);
      CHECK(twice == doctest::Approx(bracket).epsilon(1e-11));
    }
  }
}

/// c(k, i, j) from [e_i, e_j] = ad(e_i) e_j. The size is a run-time size, so that the checks compile once.
template <class G>
Tensor3<double, Eigen::Dynamic> coefficients_of_ad() {
  using Tangent = typename G::Tangent;
  Tensor3<double, Eigen::Dynamic> c(G::dof);
  for (int i = 0; i < G::dof; ++i) {
    for (int j = 0; j < G::dof; ++j) {
      const Tangent bracket = G::ad(Tangent(Tangent::Unit(i)), Tangent(Tangent::Unit(j)));
      for (int k = 0; k < G::dof; ++k) c(k, i, j) = bracket[k];
    }
  }
  return c;
}

/// Checks that the sum of [e_i, [e_j, e_k]] over cyclic permutations vanishes.
void check_jacobi(const Tensor3<double, Eigen::Dynamic>& c) {
  const int n = c.size();
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        for (int l = 0; l < n; ++l) {
          double sum = 0;
          for (int m = 0; m < n; ++m)
            sum += c(l, i, m) * c(m, j, k) + c(l, j, m) * c(m, k, i) + c(l, k, m) * c(m, i, j);
          worst = greatest(worst, sum);
        }
      }
    }
  }
  CHECK(worst == 0);
}

}  // namespace

TEST_CASE("brackets of a frame are its structure coefficients") {
  check_brackets(frame3::frame, frame3::point());
  check_brackets(CoordinateFrame<3>(), frame3::point());
}

TEST_CASE_TEMPLATE("brackets of left-invariant frames on groups are their structure coefficients", G, SO2<>,
                   SE2<>, SE3<>, SE23<>, SGal3<>) {
  check_brackets(LeftInvariantFrame<G>(), random_element<G>());
}

namespace {

/// Checks that the sum of e_i(c(l, j, k)) + c(m, j, k) c(l, i, m) over cyclic permutations vanishes.
template <class Frame, class Point>
void check_jacobi(const Frame& frame, const Point& q) {
  constexpr int n = Frame::dof;
  using Components = Vector<double, n>;
  const auto c = frame.structure_coefficients(q);
  const auto d =
      frame_derivatives(frame, q, [&](const auto& at) { return frame.structure_coefficients(at); });
  double worst = 0, change = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        Components sum = Components::Zero();
        for (const auto& [a, b, e] : {std::array{i, j, k}, std::array{j, k, i}, std::array{k, i, j}})
          sum += Components(d[a].along(b).col(e)) + c.along(a) * c.along(b).col(e);
        worst = greatest(worst, sum);
        change = greatest(change, d[i].along(j).col(k));
      }
    }
  }
  CHECK(change > 1e-2);
  CHECK(worst < 1e-12 * greatest(1, change));
}

}  // namespace

TEST_CASE("structure coefficients of random frames with varying coefficients obey Jacobi's identity") {
  for (int draw = 0; draw < 3; ++draw) {
    const Vector<double, 4> q = random_vector<4>();
    check_jacobi(BasisOver{CoordinateFrame<4>(), random_basis<4>(q)}, q);
    const SE2<> g = random_element<SE2<>>();
    check_jacobi(BasisOver{LeftInvariantFrame<SE2<>>(), random_basis<3>(g)}, g);
  }
}

TEST_CASE("brackets of any frame on a group are its structure coefficients") {
  const SO3<> g = random_element<SO3<>>();
  check_brackets(BasisOver{LeftInvariantFrame<SO3<>>(), random_basis<3>(g)}, g);
}

TEST_CASE_TEMPLATE("structure coefficients of groups are those of ad and obey Jacobi's identity", G, SO2<>,
                   SO3<>, SE2<>, SE3<>, Direct, Rn<4>, SE23<>, SGal3<>) {
  const auto c = coefficients_of_ad<G>();
  CHECK(greatest(LeftInvariantFrame<G>::structure_coefficients(G::identity()).flat() - c.flat()) == 0);
  check_jacobi(c);
}

TEST_CASE("structure_constants.direct, structure_constants.semidirect: the listed constants are complete") {
  const auto check = [](const char* id, auto c) {
    const std::size_t count = reference(id).at("count");
    CHECK(reference(id).at("nonzero").size() == count);
    CHECK((c.flat() != 0.).count() == static_cast<Eigen::Index>(count));
    for (const json& row : reference(id).at("nonzero")) {
      double& listed = c(row.at(0).get<int>() - 1, row.at(1).get<int>() - 1, row.at(2).get<int>() - 1);
      CHECK(listed == row.at(3).get<double>());
      listed = 0;
    }
    CHECK(greatest(c) == 0);
  };
  check("structure_constants.direct", LeftInvariantFrame<Direct>::structure_coefficients(Direct()));
  check("structure_constants.semidirect", LeftInvariantFrame<SE3<>>::structure_coefficients(SE3<>()));
}

TEST_CASE("right-invariant fields have the opposite structure coefficients") {
  using G = SE3<>;
  const auto spatial = [](const auto& g) { return g.inverse().Ad(); };
  const BasisOver frame{LeftInvariantFrame<G>(), spatial};
  const auto c = LeftInvariantFrame<G>::structure_coefficients(G::identity());
  const auto c_right = frame.structure_coefficients(random_element<G>());
  CHECK(agree(c_right, -1. * c));
}

TEST_CASE("the derivative of the attitude along body axes is R skew(w)") {
  const auto R = [](const auto& g) { return g.matrix(); };
  const SO3<> g = random_element<SO3<>>();
  const Vec3 w = random_vector<3>();
  CHECK(agree(derivative_along(LeftInvariantFrame<SO3<>>(), g, w, R), Mat3(g.matrix() * skew(w))));
}

TEST_CASE("projected coefficients of a distribution are the tangential parts of its brackets") {
  const auto q = random_vector<4>();
  const RandomField<4, 2> N(Matrix<double, 4, 2>::Identity(), q);
  const auto metric = random_metric_field<4>(q);
  const CoordinateFrame<4> chart;
  const auto D = distribution<2>(chart, N, metric);
  const auto c = D.structure_coefficients(q);
  const auto bracket = D.brackets(q);
  const Vector<double, 4> outside = bracket[0].col(1) - N(q) * c.along(0).col(1);
  CHECK(outside.norm() > 1e-3);  // the distribution is not involutive
  CHECK(greatest(N(q).transpose() * metric(q) * outside) < 1e-13);
  CHECK(agree(c(Vector<double, 2>::Unit(0), Vector<double, 2>::Unit(1)),
              Vector<double, 2>(-c(Vector<double, 2>::Unit(1), Vector<double, 2>::Unit(0)))));
}

TEST_CASE("a distribution of full dimension has the structure coefficients of a frame") {
  const Vec3 q = frame3::point();
  const auto all = distribution<3>(CoordinateFrame<3>(), frame3::basis, random_metric_field<3>(q));
  CHECK(agree(all.structure_coefficients(q), frame3::frame.structure_coefficients(q)));
}

TEST_CASE("a frame of run-time size agrees with that of fixed size") {
  constexpr int any = Eigen::Dynamic;
  const auto basis = [](const auto& q) {
    using S = typename std::decay_t<decltype(q)>::Scalar;
    return Matrix<S, any>(frame3::basis(Vector<S, 3>(q)));
  };
  const BasisOver frame{CoordinateFrame<any>(), basis};
  const auto c = frame.structure_coefficients(Vector<double, any>(frame3::point()));
  CHECK(greatest(c.flat() - frame3::frame.structure_coefficients(frame3::point()).flat()) < 1e-15);
}
