#include "torsor/geometry/particles.hpp"

#include "geometry/reference.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/equations_of_motion.hpp"
#include "torsor/geometry/field.hpp"
#include "torsor/geometry/particle_motion.hpp"
#include "torsor/lie/detail/trigonometry.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::geometry;

namespace {

using Many = PerParticle<double>;
using Weights = ParticleWeights<double>;

Many columns(const json& entry) { return matrix<Eigen::Dynamic, Eigen::Dynamic>(entry).transpose(); }

/// Random masses, forces, angular velocity, and positions of a given span.
struct Sample {
  explicit Sample(int n, ParticleSpan span)
      : masses(Weights::NullaryExpr(n, [] { return 1.5 + uniform(); })),
        forces(Many::NullaryExpr(3, n, [] { return uniform(); })),
        velocities(Many::NullaryExpr(3, n, [] { return uniform(); })),
        Omega(random_vector<3>()) {
    const int dimension = static_cast<int>(span);
    const Matrix<double, 3, Eigen::Dynamic> directions =
        Many::NullaryExpr(3, dimension, [] { return uniform(); });
    const Eigen::MatrixXd along = Eigen::MatrixXd::NullaryExpr(dimension, n, [] { return uniform(); });
    positions = (directions * along).colwise() + random_vector<3>();
    system = particle_system(masses, positions);
  }

  Weights masses;
  Many forces, velocities, positions;
  Vec3 Omega;
  ParticleSystem<double> system;
};

std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (int n : {4, 9, 1000}) {
    for (ParticleSpan span : {ParticleSpan::line, ParticleSpan::plane, ParticleSpan::space})
      all.emplace_back(n, span);
  }
  return all;
}

Vec3 total(const Many& a) { return a.rowwise().sum(); }

/// The corners of a cube with edges of length 2, along the axes and in a random attitude.
Many upright_cube() {
  Many corners(3, 8);
  for (int i = 0; i < 8; ++i) corners.col(i) << (i & 1 ? 1 : -1), (i & 2 ? 1 : -1), (i & 4 ? 1 : -1);
  return corners;
}
Many cube() { return SO3<>::exp(random_vector<3>()).matrix() * upright_cube(); }
PrincipalInertia inertia_of(const Many& positions) {
  const auto system = particle_system(Weights::Constant(positions.cols(), 0.4), positions);
  return principal_inertia(system.m0 * system.Sigma);
}

void check_table(const json& table, ParticleSpan span) {
  const Weights masses = vector<Eigen::Dynamic>(table.at("masses"));
  const Many forces = columns(table.at("forces")), v = columns(table.at("velocities"));
  const Vec3 Omega = vector<3>(table.at("omega"));
  const auto system = particle_system(masses, columns(table.at("positions")));
  CHECK(system.span == span);
  CHECK(agree(system.p0, vector<3>(table.at("com"))));
  CHECK(agree(system.r, columns(table.at("r"))));
  CHECK(agree(system.Sigma, matrix<3>(table.at("Sigma_hat"))));
  CHECK(agree(Mat3(system.m0 * system.Sigma), matrix<3>(table.at("inertia"))));
  CHECK(agree(principal_inertia(system.m0 * system.Sigma).moments, vector<3>(table.at("principal"))));
  const Weights ones = Weights::Ones(masses.size());
  CHECK(agree(inertia_of_points(ones, system.r), matrix<3>(table.at("sigma_hat"))));

  const auto parts = split_velocities(system, v);
  CHECK(agree(Vec3(parts.centre.col(0)), vector<3>(table.at("v_cen"))));
  CHECK(agree(angular_velocity(system, v), vector<3>(table.at("omega_projected"))));
  CHECK(agree(parts.rest, columns(table.at("v_perp"))));

  const auto F = split_covectors(system, forces);
  CHECK(agree(total(F.centre), vector<3>(table.at("F_cen"))));
  CHECK(agree(total_moment(system.r, forces), vector<3>(table.at("F_ang"))));
  CHECK(agree(F.rotation, columns(table.at("F_rot"))));
  CHECK(agree(F.rest, columns(table.at("F_perp"))));

  CHECK(agree(angular_acceleration(system, Omega, forces), vector<3>(table.at("omega_dot"))));
  CHECK(agree(second_fundamental_form(system, Omega), columns(table.at("second_fundamental_form"))));
  CHECK(agree(node_reactions(system, Omega, forces), columns(table.at("reactions"))));
  CHECK(kinetic_energy(system, rotated(Omega, system.r)) ==
        doctest::Approx(table.at("kinetic_rot").get<double>()).epsilon(1e-12));
}

}  // namespace

TEST_CASE("particles.tetra: four particles in space agree with the reference") {
  check_table(reference("particles.tetra"), ParticleSpan::space);
}
TEST_CASE("particles.planar: three particles in a plane have reactions in the plane") {
  check_table(reference("particles.planar"), ParticleSpan::plane);
}

TEST_CASE("particles.rod: two particles have the direction of the rod as configuration") {
  const json& table = reference("particles.rod");
  const Rod<double> rod{table.at("m1"), table.at("m2"), table.at("length")};
  const Vec3 d = vector<3>(table.at("d")), d_dot = vector<3>(table.at("d_dot"));
  const Vec3 F1 = vector<3>(table.at("F1")), F2 = vector<3>(table.at("F2"));
  CHECK(rod.lambda() == doctest::Approx(table.at("lambda_").get<double>()).epsilon(1e-12));
  CHECK((rod.m1 + rod.m2) * rod.lambda() / (rod.length * rod.length) ==
        doctest::Approx(table.at("reduced_mass").get<double>()).epsilon(1e-12));
  CHECK(agree(rod.acceleration(d, d_dot, F1, F2), vector<3>(table.at("d_ddot"))));
  CHECK(agree(rod.reaction(d, d_dot, F1, F2), vector<3>(table.at("R1"))));

  Many positions(3, 2), velocities(3, 2), forces(3, 2);
  positions << rod.length * d, Vec3::Zero();
  velocities << rod.length * d_dot, Vec3::Zero();
  forces << F1, F2;
  const auto system = particle_system(Weights{{rod.m1, rod.m2}}, positions);
  const Vec3 Omega = angular_velocity(system, velocities);
  CHECK(system.span == ParticleSpan::line);
  CHECK(agree(Omega, vector<3>(table.at("omega_min"))));
  CHECK(agree(angular_acceleration(system, Omega, forces), cross(d, rod.acceleration(d, d_dot, F1, F2))));
  const Many R = node_reactions(system, Omega, forces);
  CHECK(agree(Vec3(R.col(0)), vector<3>(table.at("R1"))));
  CHECK(greatest(total(R)) < 1e-14);
}

TEST_CASE("reactions agree with those of reference motions of particles that span a plane or a line") {
  for (const char* name : {"triangle_particles", "dumbbell_particles"}) {
    CAPTURE(name);
    const json motion = test::reference_file(name);
    const json& given = motion.at("parameters");
    const Weights masses = vector<Eigen::Dynamic>(given.at("m"));
    const Vec3 K = vector<3>(given.at("K_diagonal")), B = vector<3>(given.at("B")),
               g = vector<3>(given.at("g"));
    const double q = given.at("q");
    const int n = static_cast<int>(masses.size());
    for (const json& output : motion.at("outputs")) {
      const double t = output.at("t");
      Many x(3, n), v(3, n), F(3, n);
      for (int i = 0; i < n; ++i) {
        const json& particle = output.at("p" + std::to_string(i));
        const Vec3 x_i = vector<3>(particle.at("x")), v_i = vector<3>(particle.at("v"));
        x.col(i) = x_i, v.col(i) = v_i;
        F.col(i) = masses[i] * g - K.cwiseProduct(x_i) + (i + 1) * q * cross(v_i, B) +
                   (i + 1) * 0.7 * std::sin(2 * t) * Vec3::UnitX();
      }
      const auto system = particle_system(masses, x);
      const Many R = node_reactions(system, angular_velocity(system, v), F);
      CHECK(agree(R, columns(output.at("node_reactions")), 1e-9));
    }
  }
}

TEST_CASE("the kinetic energy is m0 G(v, v) / 2, and the momentum of a particle is m_i v_i") {
  for (const auto& [masses, F, v, positions, Omega, system] : samples()) {
    double energy = 0;
    Many p = v;
    for (Eigen::Index i = 0; i < v.cols(); ++i) {
      energy += masses[i] * v.col(i).squaredNorm() / 2;
      p.col(i) *= masses[i];
    }
    CHECK(agree(momentum(system, v), p));
    CHECK(kinetic_energy(system, v) == doctest::Approx(energy).epsilon(1e-12));
    CHECK(system.m0 * weighted_product(system, v, v) / 2 == doctest::Approx(energy).epsilon(1e-12));
    CHECK(system.m0 * weighted_product(system, F, v) ==
          doctest::Approx(momentum(system, F).cwiseProduct(v).sum()).epsilon(1e-12));
  }
}

TEST_CASE("velocities split in orthogonal parts whose energies add") {
  for (const auto& [masses, F, v, positions, Omega, system] : samples()) {
    const auto parts = split_velocities(system, v);
    CHECK(deviation(Many(parts.centre + parts.relative()), v) < 1e-13);
    CHECK(std::abs(weighted_product(system, parts.centre, parts.rotation)) < 1e-13);
    CHECK(std::abs(weighted_product(system, parts.centre, parts.rest)) < 1e-13);
    CHECK(std::abs(weighted_product(system, parts.rotation, parts.rest)) < 1e-13);
    CHECK(kinetic_energy(system, v) ==
          doctest::Approx(kinetic_energy(system, parts.centre) + kinetic_energy(system, parts.rotation) +
                          kinetic_energy(system, parts.rest))
              .epsilon(1e-13));
    const auto momenta = split_covectors(system, momentum(system, v));
    CHECK(deviation(momenta.centre, momentum(system, parts.centre)) < 1e-12);
    CHECK(deviation(momenta.rotation, momentum(system, parts.rotation)) < 1e-12);
    CHECK(deviation(momenta.rest, momentum(system, parts.rest)) < 1e-12);
  }
}

TEST_CASE("the remaining part of forces has neither resultant nor moment") {
  for (const auto& [masses, F, v, positions, Omega, system] : samples()) {
    const double scale = double(F.cols());
    const auto parts = split_covectors(system, F);
    CHECK(deviation(total(parts.centre), total(F)) < 1e-13 * scale);
    CHECK(greatest(total(parts.rest)) < 1e-14 * scale);
    CHECK(greatest(total(parts.rotation)) < 1e-14 * scale);
    CHECK(greatest(total_moment(system.r, parts.rest)) < 1e-13 * scale);
  }
}

TEST_CASE("reactions have neither resultant nor moment and keep the distances constant") {
  for (const auto& [masses, F, v, positions, Omega, system] : samples()) {
    const double scale = double(F.cols());
    const Many R = node_reactions(system, Omega, F), a = rigid_accelerations(system, Omega, F);
    CHECK(greatest(total(R)) < 1e-13 * scale);
    CHECK(greatest(total_moment(system.r, R)) < 1e-12 * scale);
    CHECK(deviation(Many(momentum(system, a) - F), R) < 1e-12);
    const Many u = rotated(Omega, system.r);
    for (int i = 1; i < 4; ++i) {  // (r_i - r_0) . (a_i - a_0) + |u_i - u_0|^2 = 0
      const Vec3 r = system.r.col(i) - system.r.col(0), du = u.col(i) - u.col(0), da = a.col(i) - a.col(0);
      CHECK(std::abs(r.dot(da) + du.squaredNorm()) < 1e-13 * (1 + du.squaredNorm()));
    }
  }
}

TEST_CASE("reactions on a line do not depend on the spin about the line") {
  const Sample sample(5, ParticleSpan::line);
  const Vec3 d = sample.system.r.col(0).normalized();
  const Many R = node_reactions(sample.system, sample.Omega, sample.forces);
  const Vec3 other = sample.Omega + 2.5 * d;
  CHECK(agree(node_reactions(sample.system, other, sample.forces), R));
}

TEST_CASE("any weights give the angular velocity of a rigid motion; masses give that of the projection") {
  const Sample sample(6, ParticleSpan::space);
  const auto& system = sample.system;
  const Weights weights = Weights::NullaryExpr(6, [] { return 1.5 + uniform(); });
  const Many turning = rotated(sample.Omega, system.r);
  CHECK(agree(angular_velocity(weights, system.r, turning, system.span), sample.Omega));
  const Vec3 by_weights = angular_velocity(weights, system.r, sample.velocities, system.span);
  const Vec3 by_masses = angular_velocity(sample.masses, system.r, sample.velocities, system.span);
  CHECK(agree(by_masses, angular_velocity(system, sample.velocities)));
  CHECK((by_weights - by_masses).norm() > 1e-3);
}

TEST_CASE("the span is judged relative to the size") {
  for (double size : {1e-8, 1., 1e8}) {
    CAPTURE(size);
    for (int dimension : {1, 2, 3}) {
      const Sample sample(7, static_cast<ParticleSpan>(dimension));
      CHECK(particle_system(sample.masses, size * sample.positions).span == sample.system.span);
    }
    const Many same = (size * random_vector<3>()).replicate(1, 7);
    CHECK(particle_system(Weights::Constant(7, 0.3), same).span == ParticleSpan::point);
  }
  Many lost = Sample(7, ParticleSpan::space).positions;
  lost(0, 3) = std::nan("");
  CHECK(singular_values(lost).hasNaN());
}

TEST_CASE("principal axes are a right-handed basis in which the inertia is diagonal") {
  for (const auto& [masses, F, v, positions, Omega, system] : samples()) {
    const auto [kind, moments, axes] = principal_inertia(system.Sigma);
    CHECK(kind == (system.span == ParticleSpan::line ? InertiaClass::symmetric : InertiaClass::asymmetric));
    CHECK(agree(Mat3(axes * moments.asDiagonal() * axes.transpose()), system.Sigma, 1e-14));
    CHECK(agree(cross(Vec3(axes.col(0)), Vec3(axes.col(1))), Vec3(axes.col(2)), 1e-14));
    CHECK(moments[0] <= moments[1]);
    CHECK(moments[1] <= moments[2]);
    if (system.span == ParticleSpan::line) CHECK(std::abs(moments[0]) < 1e-14 * moments[2]);
    if (system.span == ParticleSpan::plane)
      CHECK(moments[0] + moments[1] == doctest::Approx(moments[2]).epsilon(1e-13));
  }
}

TEST_CASE("inertias are spherical, symmetric or asymmetric at every size") {
  const Vec3 axis = random_vector<3>().normalized();
  for (double size : {1e-8, 1., 1e8}) {
    CAPTURE(size);
    const Many corners = size * cube();
    CHECK(inertia_of(corners).kind == InertiaClass::spherical);
    CHECK(inertia_of(corners.colwise() + 1e3 * size * axis).kind == InertiaClass::spherical);
    // Stretched along an axis, compressed along it, and stretched by different factors in three directions.
    for (double factor : {2., 0.5, 0.}) {
      const auto inertia = inertia_of(corners + (factor - 1) * axis * (axis.transpose() * corners));
      CHECK(inertia.kind == InertiaClass::symmetric);
      CHECK(greatest(cross(inertia.symmetry_axis(), axis)) < 1e-12);
    }
    CHECK(inertia_of(Vec3(1, 2, 3).asDiagonal() * corners).kind == InertiaClass::asymmetric);
    const auto rod = inertia_of(axis * (axis.transpose() * corners));
    CHECK(rod.kind == InertiaClass::symmetric);
    CHECK(greatest(cross(rod.symmetry_axis(), axis)) < 1e-12);
  }
}

TEST_CASE("errors of positions up to position_error do not change the class of an inertia, greater ones do") {
  for (int sample = 0; sample < 100; ++sample) {
    const Many corners = cube();
    Many error = Many::NullaryExpr(3, 8, [] { return uniform(); });
    error *= corners.norm() / error.norm();
    CHECK(inertia_of(corners + position_error * error).kind == InertiaClass::spherical);
    CHECK(inertia_of(corners + 1e-6 * error).kind == InertiaClass::asymmetric);
  }
  // Of all errors of this norm, this one makes the moments of a cube differ most, by sqrt(6) times the error.
  const double e = std::sqrt(1.5) * position_error;
  CHECK(inertia_of(Vec3(1 + e, 1 - e, 1).asDiagonal() * upright_cube()).kind == InertiaClass::spherical);
}

TEST_CASE("the kinetic metric of a spherical system is a multiple of -B/2, that of another system is not") {
  const Mat3 g = -0.5 * killing_form(LeftInvariantFrame<SO3<>>::structure_coefficients(SO3<>()));
  const auto zero = canonical_connection<SO3<>>(Canonical::zero);
  const auto zero_less_christoffel = [&](const Mat3& J) {
    return greatest(zero.affinities(SO3<>()) - christoffel(zero.frame, Constant{J}).affinities(SO3<>()));
  };
  const Many corners = cube();
  const auto system = particle_system(Weights::Constant(8, 0.4), corners);
  const auto nearest = nearest_multiple<double, 3>(system.m0 * system.Sigma, g);
  CHECK(nearest.factor == doctest::Approx(8 * 0.4 * 2));  // y^2 + z^2 = 2 for each corner
  CHECK(nearest.distance < 1e-15);
  CHECK(zero_less_christoffel(system.m0 * system.Sigma) < 1e-15);
  const Vec3 Omega = random_vector<3>();
  CHECK(kinetic_energy(system, rotated(Omega, system.r)) ==
        doctest::Approx(nearest.factor * Omega.dot(g * Omega) / 2).epsilon(1e-14));
  for (const Sample& sample : samples()) {
    if (sample.system.span == ParticleSpan::line) continue;
    CHECK(nearest_multiple(sample.system.Sigma, g).distance > 1e-3);
    CHECK(zero_less_christoffel(sample.system.Sigma) > 1e-3);
  }
}

TEST_CASE("one particle moves by its force alone") {
  const Vec3 F(1, -2, 3);
  const auto system = particle_system(Weights::Constant(1, 0.5), Many(Vec3(0.3, 0.1, -4)));
  CHECK(system.span == ParticleSpan::point);
  CHECK(agree(rigid_accelerations(system, Vec3(1, 1, 1), Many(F)), Many(2 * F)));
  CHECK(greatest(node_reactions(system, Vec3(1, 1, 1), Many(F))) < 1e-15);
}

TEST_CASE("accelerations are the rates of rigid velocities") {
  using D = Dual<double>;
  const Sample sample(5, ParticleSpan::space);
  const auto& [masses, F, v, positions, Omega, system] = sample;
  const Vec3 Omega_dot = angular_acceleration(system, Omega, F);
  const Many turning = rotated(Omega, system.r);
  PerParticle<D> r(3, 5);
  for (int i = 0; i < 15; ++i) r(i) = D(system.r(i), turning(i));
  const auto moving = particle_system<D>(ParticleWeights<D>(masses.cast<D>()), r, system.span);
  const auto u = rotated(with_derivative(Omega, Omega_dot), moving.r);
  const Many a = rigid_accelerations(system, Omega, F);
  const Many relative = a.colwise() - Vec3(a * system.mu);
  CHECK(agree(derivative_part(u), relative));
}

TEST_CASE(
    "accelerations of rigid motions: the projection on the rotations, and the second fundamental form") {
  for (const auto& [masses, F, v, positions, Omega, system] : samples()) {
    Vec3 turning = Omega, rate = random_vector<3>();
    if (system.span == ParticleSpan::line) {  // Omega and its rate are unique across the line only
      const Vec3 d = system.r.col(0).normalized();
      turning -= d * d.dot(turning), rate -= d * d.dot(rate);
    }
    const Many a = rotated(rate, system.r) + rotated(turning, rotated(turning, system.r));
    const auto parts = split_velocities(system, a);
    CHECK(greatest(parts.centre) < 1e-13);
    CHECK(agree(angular_velocity(system, a), covariant_angular_acceleration(system, turning, rate)));
    CHECK(agree(parts.rest, second_fundamental_form(system, turning)));
  }
}

TEST_CASE("Lagrange's equations of two particles on a rod with weight and a spring") {
  const Rod<double> rod{0.7, 1.9, 1.3};
  const Vec3 g(0.3, -0.4, -9.81);
  const double stiffness = 2.5, m0 = rod.m1 + rod.m2, mu2 = rod.m2 / m0;
  const auto direction = []<class S>(const Vector<S, 2>& q) {
    const auto [s1, c1] = sin_cos(q[0]);
    const auto [s2, c2] = sin_cos(q[1]);
    return Vector<S, 3>(s1 * c2, s1 * s2, c1);
  };
  // L = T - V of the rotation: T = m0 lambda |d'|^2 / 2. The spring pulls r_1 to e. The weights have no
  // moment about the centre, so they do not enter.
  const Vec3 e(1.1, 0.2, -0.5);
  const auto lagrangian = [&](const auto& q, const auto& q_dot) {
    using S = typename std::decay_t<decltype(q)>::Scalar;
    const auto [s1, c1] = sin_cos(q[0]);
    const Vector<S, 3> stretch = S(mu2 * rod.length) * direction(q) - Vector<S, 3>(e.cast<S>());
    return S(m0 * rod.lambda() / 2) * (q_dot[0] * q_dot[0] + s1 * s1 * q_dot[1] * q_dot[1]) -
           S(stiffness / 2) * stretch.squaredNorm();
  };
  const Vector<double, 2> q(1.1, 0.4), q_dot(0.8, -1.7), still(0, 0);
  const Vector<double, 2> q_ddot =
      hamel_equations(CoordinateFrame<2>(), lagrangian, q, q_dot).acceleration(still);
  using D2 = Dual<Dual<double>>;
  Vector<D2, 2> moving;
  for (int k = 0; k < 2; ++k) moving[k] = D2(Dual<double>(q[k], q_dot[k]), Dual<double>(q_dot[k], q_ddot[k]));
  const Vector<D2, 3> d = direction(moving);
  Vec3 at, rate, second;
  for (int k = 0; k < 3; ++k)
    at[k] = d[k].value.value, rate[k] = d[k].derivative.value, second[k] = d[k].derivative.derivative;
  const Vec3 F1 = rod.m1 * g - stiffness * (mu2 * rod.length * at - e), F2 = rod.m2 * g;
  CHECK(agree(second, rod.acceleration(at, rate, F1, F2)));
}
