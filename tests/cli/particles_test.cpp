#include <doctest/doctest.h>

#include "reference_run.hpp"
#include "torsor/geometry/particle_motion.hpp"

namespace torsor::test {

using namespace geometry;
namespace {

using Vectors = PerParticle<double>;

/// The vectors `key` (x, v, ...) of all particles, one in each column.
Vectors gather(const json& result, const char* key) {
  const json& bodies = result.at("bodies");
  Vectors all(3, Eigen::Index(bodies.size()));
  for (Eigen::Index k = 0; k < all.cols(); ++k)
    all.col(k) = vector(bodies.at("p" + std::to_string(k)).at(key));
  return all;
}

ParticleWeights<double> masses(const scene::Scene& scene) {
  ParticleWeights<double> all(Eigen::Index(scene.mechanism.bodies.size()));
  for (Eigen::Index k = 0; k < all.size(); ++k) all[k] = scene.mechanism.bodies[std::size_t(k)].mass;
  return all;
}

/// The applied forces of the two scenes, gravity included, as in the scene files.
Vectors forces_on_tetrahedron(const ParticleWeights<double>& m, double t, const Vectors& x,
                              const Vectors& v) {
  Vectors F(3, 4);
  for (int i = 0; i < 4; ++i) {
    const Vec3 push(0.7 * (i + 1) * std::sin(2 * t), 1 - i, -9.81 * m[i]), v_i = v.col(i);
    F.col(i) = push - Vec3(4, 9, 15).cwiseProduct(x.col(i)) + 0.5 * (i + 1) * v_i.cross(Vec3(0.3, -0.2, 0.5));
  }
  return F;
}
Vectors forces_on_ten(const ParticleWeights<double>& m, double t, const Vectors&, const Vectors&) {
  Vectors F(3, 10);
  for (int i = 0; i < 10; ++i)
    F.col(i) = Vec3(3 * std::sin(i + 2 * t), i - 4, 2 * std::cos(3 * i) - 9.81 * m[i]);
  return F;
}

struct ParticleScene {
  const char* name;
  Vectors (*forces)(const ParticleWeights<double>&, double, const Vectors&, const Vectors&);
};
const ParticleScene particle_scenes[] = {{"tetrahedron_particles", forces_on_tetrahedron},
                                         {"ten_particles", forces_on_ten}};
const std::vector<double> times = {0.5, 1, 2};
const scene::Overrides to_12_digits = {{"integrator.tolerance", "1e-12"}};

}  // namespace

TEST_CASE("rigid systems of particles: reactions of the nodes are those of the rigid motion") {
  for (const ParticleScene& one : particle_scenes) {
    CAPTURE(one.name);
    const scene::Scene scene = scene::load_scene(scene_path(one.name), to_12_digits);
    const ParticleWeights<double> m = masses(scene);
    const auto states = states_at(scene, times);
    for (std::size_t i = 0; i < times.size(); ++i) {
      CAPTURE(times[i]);
      const Vectors x = gather(states[i], "x"), v = gather(states[i], "v");
      const ParticleSystem<double> system = particle_system(m, x);
      CHECK(system.span == ParticleSpan::space);
      const Vec3 Omega = angular_velocity(system, v);
      CHECK(greatest(split_velocities(system, v).rest) < 1e-10);
      const Vectors F = one.forces(m, times[i], x, v), R = gather(states[i], "reaction");
      CHECK(greatest(R) > 1);
      CHECK(greatest(R - node_reactions(system, Omega, F)) < 1e-8);
      CHECK(greatest(gather(states[i], "vdot") - rigid_accelerations(system, Omega, F)) < 1e-8);
      CHECK(R.rowwise().sum().norm() < 1e-11);
      CHECK(total_moment(system.r, R).norm() < 1e-11);
    }
  }
}

TEST_CASE(
    "node reactions of rigid systems of particles do not depend on redundant rods or on the formulation") {
  const std::string path = scene_path("ten_particles");
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto reactions = [&](const std::string& added, const char* formulation) {
    scene::Overrides overrides = to_12_digits;
    overrides.push_back({"integrator.formulation", formulation});
    return gather(states_at(scene::parse_scene(text + added, path, overrides), times).back(), "reaction");
  };
  const Vectors R = reactions("", "tree");
  CHECK(greatest(reactions("", "absolute") - R) < 1e-8);
  const std::string across =  // redundant, because the rods of the scene already make the system rigid
      "[[constraint]]\nname = \"across\"\nkind = \"distance\"\nfrom.body = \"p0\"\nto.body = \"p9\"\n"
      "length = \"sqrt(0.54*(1-cos(9*acos(-2/3)))+8.1)\"\n";
  CHECK(greatest(reactions(across, "tree") - R) < 1e-8);
}

TEST_CASE("the reaction on a body is mass times acceleration minus weight, in both formulations") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(formulation);
    const scene::Scene scene =
        scene::load_scene(scene_path("chain3_spherical"), {{"integrator.formulation", formulation}});
    const scene::ReadyModel ready = make_model(scene);
    const Trajectory trajectory = run(ready.model, ready.start, scene.run);
    const Sample& last = trajectory.samples.back();
    for (std::size_t i = 0; i < last.bodies.size(); ++i) {
      const Vec3 weight(0, 0, -9.81 * scene.mechanism.bodies[i].mass);
      const Vec3 expected = scene.mechanism.bodies[i].mass * last.bodies[i].vdot - weight;
      CHECK((last.bodies[i].reaction - expected).norm() < 1e-9 * (1 + expected.norm()));
    }
  }
}

}  // namespace torsor::test
