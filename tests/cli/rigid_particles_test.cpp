#include "torsor/model/rigid_particles.hpp"

#include <doctest/doctest.h>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

struct Twin {
  const char *rigid, *particles;
  int nodes;
};
const Twin twins[] = {{"dumbbell_rigid", "dumbbell_particles", 2},
                      {"triangle_rigid", "triangle_particles", 3},
                      {"tetrahedron_rigid", "tetrahedron_particles", 4},
                      {"ten_particles_rigid", "ten_particles", 10}};

const scene::Overrides to_13_digits = {{"integrator.tolerance", "1e-13"}};

json node(const json& result, int i) { return result.at("bodies").at("p" + std::to_string(i)); }

}  // namespace

TEST_CASE(
    "rigid systems of particles and particles on rods have the same motion and the same node reactions") {
  for (const Twin& twin : twins) {
    CAPTURE(twin.rigid);
    const std::vector<double> times = {0.5, 2};
    const auto rigid = states_at(scene::load_scene(scene_path(twin.rigid), to_13_digits), times),
               rods = states_at(scene::load_scene(scene_path(twin.particles), to_13_digits), times);
    for (std::size_t k = 0; k < times.size(); ++k)
      for (int i = 0; i < twin.nodes; ++i)
        for (const char* key : {"x", "v", "vdot", "force", "reaction"}) {
          CAPTURE(times[k]);
          CAPTURE(i);
          CAPTURE(key);
          CHECK(difference(node(rigid[k], i).at(key), node(rods[k], i).at(key)) <= 1e-9);
        }
  }
}

TEST_CASE("rigid systems of particles reach the references, on both groups and in both formulations") {
  for (const Twin& twin : {twins[0], twins[1]}) {
    CAPTURE(twin.rigid);
    const json outputs = reference(twin.particles).at("outputs");
    std::vector<double> times;
    for (const json& output : outputs) times.push_back(output.at("t"));
    for (const char* formulation : {"tree", "absolute"})
      for (const char* group : {"direct", "semidirect"}) {
        CAPTURE(formulation);
        CAPTURE(group);
        scene::Overrides overrides = {{"integrator.tolerance", "1e-12"}};
        overrides.insert(overrides.end(),
                         {{"integrator.formulation", formulation}, {"integrator.group", group}});
        const auto states = states_at(scene::load_scene(scene_path(twin.rigid), overrides), times);
        for (std::size_t k = 0; k < times.size(); ++k) {
          json expected = outputs[k];
          expected.erase("rod_tensions");  // a rigid system has no rods
          for (const auto& [key, error] : differences(states[k], expected)) {
            CAPTURE(times[k]);
            CAPTURE(key);
            CHECK(error <= 1e-8);
          }
        }
      }
  }
}

TEST_CASE("node reactions have zero sum, zero moment and zero power on the motion") {
  for (const Twin& twin : twins) {
    CAPTURE(twin.rigid);
    const json end = states_at(scene::load_scene(scene_path(twin.rigid), to_13_digits), {1}).front();
    Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
    double power = 0, most = 0;
    for (int i = 0; i < twin.nodes; ++i) {
      const json one = node(end, i);
      const Vec3 R = vector(one.at("reaction"));
      sum += R, moment += Vec3(vector(one.at("x"))).cross(R), power += R.dot(vector(one.at("v")));
      most = greatest(most, R.norm());
    }
    CHECK(most > 0.1);
    CHECK(sum.norm() < 1e-12 * most * twin.nodes);
    CHECK(moment.norm() < 1e-11 * most * twin.nodes);
    CHECK(std::abs(power) < 1e-11 * most * twin.nodes);
  }
}

TEST_CASE("the motion of nodes on a line does not depend on the inertia about the line") {
  const scene::Scene scene = scene::load_scene(scene_path("dumbbell_rigid"), to_13_digits);
  const auto nodes_with = [&](double axial) {
    scene::Scene other = scene;
    Body& body = other.mechanism.bodies.front();
    body = rigid_particles(body.name, body.group, body.nodes, axial);
    return states_at(other, {5}).front().at("bodies");
  };
  const json thin = nodes_with(1e-2), thick = nodes_with(2);
  for (const char* name : {"p0", "p1"})
    for (const char* key : {"x", "v", "vdot", "reaction"})
      CHECK(difference(thin.at(name).at(key), thick.at(name).at(key)) <= 1e-10);
  CHECK(difference(thin.at("dumbbell").at("Omega"), json{0, 0, 0}) > 0.1);
}

TEST_CASE("a start that spins nodes on a line about the line moves as the start without this spin") {
  const std::string text =
      "run.end = 2\n"
      "[[particle]]\nname = 'p0'\nmass = 1\nposition = [-1, 0, 0]\n"
      "[[particle]]\nname = 'p1'\nmass = 1\nposition = [1, 0, 0]\n"
      "[[rigid_particles]]\nname = 'S'\nnodes = ['p0', 'p1']\nangular_velocity_world = [3, 0, 1]\n";
  const scene::Scene scene = scene::parse_scene(text, "spin.toml", to_13_digits);
  CHECK((*scene.start.bodies.front().omega_W - Vec3(0, 0, 1)).norm() < 1e-15);
  const json end = states_at(scene, {2}).front();
  CHECK(difference(node(end, 1).at("x"), json{std::cos(2), std::sin(2), 0}) <= 1e-10);
  CHECK(difference(node(end, 1).at("vdot"), json{-std::cos(2), -std::sin(2), 0}) <= 1e-10);
}

TEST_CASE("a rigid system may start from the velocity of its centre and its angular velocity") {
  const scene::Scene by_nodes = scene::load_scene(scene_path("triangle_rigid"), {});
  const BodyStart& start = by_nodes.start.bodies.front();
  const auto list = [](const Vec3& v) { return json{v[0], v[1], v[2]}.dump(); };
  const std::string path = scene_path("triangle_rigid");
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = 0; (at = text.find("velocity_world", at)) != std::string::npos;)
    text.erase(at, text.find('\n', at) - at);
  const scene::Scene by_system =
      scene::parse_scene(text, path,
                         {{"rigid_particles.triangle.velocity_world", list(*start.v_W)},
                          {"rigid_particles.triangle.angular_velocity_world", list(*start.omega_W)}});
  const State a = make_model(by_nodes).start, b = make_model(by_system).start;
  CHECK((a.v - b.v).norm() < 1e-14);
  CHECK(a.v.norm() > 1);
}

TEST_CASE(
    "the geometry report of a rigid system of particles splits energy and forces into three parts and states "
    "whether the particles span a line, a plane or space") {
  for (const Twin& twin : twins) {
    CAPTURE(twin.rigid);
    const scene::Scene scene = scene::load_scene(scene_path(twin.rigid), {});
    const scene::ReadyModel ready = make_model(scene);
    const GeometryReport report = geometry_report(ready.model, 0, ready.start);
    REQUIRE(report.rigid_particles.size() == 1);
    const RigidParticlesReport& system = report.rigid_particles.front();
    CHECK(system.span == (twin.nodes == 2   ? ParticleSpan::line
                          : twin.nodes == 3 ? ParticleSpan::plane
                                            : ParticleSpan::space));
    const Trajectory start = run(ready.model, ready.start, [&] {
      SimulationOptions none = scene.run;
      none.t_end = 0;
      return none;
    }());
    const double kinetic = start.samples.front().invariants.kinetic;
    CHECK(system.kinetic_centre + system.kinetic_rotation == doctest::Approx(kinetic).epsilon(1e-13));
    CHECK(system.kinetic_rest < 1e-25);
    CHECK((system.force.rigid() + system.force.rest)
              .rowwise()
              .sum()
              .isApprox(Vec3(scene.mechanism.bodies[0].mass * start.samples.front().bodies[0].vdot), 1e-12));
    CHECK(system.force.rest.rowwise().sum().norm() < 1e-12);
    const json told = json::parse(io::to_json(scene, report)).at("rigid_particles").front();
    CHECK(told.at("span") == to_string(system.span));
    CHECK(told.at("force").size() == std::size_t(twin.nodes));
  }
}

}  // namespace torsor::test
