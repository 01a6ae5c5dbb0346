// Objects of fixed size do not allocate heap memory.
#include "geometry/sleigh.hpp"
#include "support/allocations.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/compatibility.hpp"
#include "torsor/geometry/constrained_point.hpp"
#include "torsor/geometry/derived_flag.hpp"
#include "torsor/geometry/equations_of_motion.hpp"
#include "torsor/geometry/scleronomicity.hpp"
#include "torsor/geometry/second_fundamental_form.hpp"
#include "torsor/geometry/slow_manifold.hpp"
#include "torsor/lie/se3.hpp"

using namespace torsor;
using namespace torsor::geometry;

TEST_CASE("geometry of fixed size does not allocate heap memory") {
  const auto L = random_tensor3<6>(), c = random_tensor3<6>();
  const Constant inertia{random_metric<6>()};
  const auto v = random_vector<6>();
  const long before = test::allocations;
  const auto R = curvature(L, c);
  const auto t = torsion(L, c);
  const auto Gamma = christoffel(LeftInvariantFrame<SE3<>>(), inertia);
  const auto equations = newton_equations(Gamma, inertia, SE3<>(), v);
  const auto symbols = Gamma.affinities(SE3<>());
  const auto canonical = canonical_connection<SE3<>>();
  const auto brackets = LeftInvariantFrame<SE3<>>::structure_coefficients(SE3<>());
  const auto D = non_metricity(canonical, inertia, SE3<>());
  const auto R_of_it = curvature(canonical, SE3<>());
  const auto conditions = compatibility(canonical.affinities(SE3<>()), symbols, inertia.value);
  CHECK(test::allocations == before);
  CHECK(greatest(R) + greatest(t) + greatest(equations.acceleration(v)) > 0);
  CHECK(greatest(brackets) == 1);
  CHECK(greatest(D) > 0);
  CHECK(greatest(R_of_it) == 0);
  CHECK(conditions.weak < 1e-14);
  CHECK(conditions.strong > 0);
}

TEST_CASE("constraints of fixed size, their motion and their friction do not allocate heap memory") {
  const StrongFriction system{sleigh::Metric(), sleigh::Rows(), sleigh::Force(), sleigh::Friction()};
  const auto& [metric, rows, force, friction] = system;
  const Vec3 q = sleigh::point(), u = sleigh::velocity(), f = force(q, u);
  const Matrix<double, 6> G = random_metric<6>();
  const Matrix<double, 2, 6> A = random_matrix<2, 6>();
  const auto Gamma = christoffel(CoordinateFrame<3>(), metric);

  const long before = test::allocations;
  const auto point = constrained_point(G, A);
  const auto redundant = constrained_point_of_any_rank(G, A);
  const auto N = continued_velocities(A, orthonormal_velocities(A));
  const auto partition = partitioned_velocities(A, std::array{0, 1});
  const Vec3 bending = second_fundamental_form(Gamma, metric, rows, q, u);
  const Vec3 lambda = constraint_acceleration(Gamma, metric, rows, q, u, f);
  const auto nonholonomic = nonholonomic_connection(Gamma, metric, rows).affinities(q);
  const Vec3 stiff = stiff_acceleration(system, 0.1, q, u);
  const auto slow = slow_motion<1>(system, q, u);
  const auto event = scleronomicity(CoordinateFrame<3>(), metric, q, 1.);
  CHECK(test::allocations == before);
  CHECK(greatest(point.C) + greatest(redundant.C) + greatest(N) + greatest(partition) + greatest(bending) >
        0);
  CHECK(greatest(lambda) + greatest(nonholonomic) + greatest(stiff) + greatest(slow.rate[1]) +
            event.scaled_S1 >
        0);

  if constexpr (test::counts_allocations) {  // check that the counter works
    const long start = test::allocations;
    const auto flag = derived_flag(CoordinateFrame<3>(), rows, q);
    CHECK(test::allocations > start);
    CHECK(flag.ranks.size() == 2);
  }
}
