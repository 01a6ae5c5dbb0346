#include "torsor/model/rigid_particles.hpp"

#include <doctest/doctest.h>

#include "some_forces.hpp"
#include "support/greatest.hpp"

namespace torsor::test {

using namespace geometry;
namespace {

std::vector<ParticleNode> some_nodes(Random& random, int count, ParticleSpan span) {
  const Vec3 origin = random.vector(), along = random.vector(), across = random.vector();
  std::vector<ParticleNode> nodes;
  for (int i = 0; i < count; ++i) {
    ParticleNode node{"n" + std::to_string(i), 1.5 + random.real(), origin + random.real() * along};
    if (span != ParticleSpan::line) node.p += random.real() * across;
    if (span == ParticleSpan::space) node.p += random.vector();
    nodes.push_back(node);
  }
  return nodes;
}

BodyMotion some_motion(Random& random) {
  BodyMotion motion;
  motion.x = random.vector(), motion.v = random.vector(), motion.vdot = random.vector();
  motion.R = SO3<>::exp(random.vector());
  motion.Omega = random.vector(), motion.Omegadot = random.vector();
  return motion;
}

}  // namespace

TEST_CASE("a rigid system of particles is a body with their mass, centre and inertia") {
  Random random(3);
  for (const ParticleSpan span : {ParticleSpan::line, ParticleSpan::plane, ParticleSpan::space}) {
    const auto nodes = some_nodes(random, 5, span);
    const Body body = rigid_particles("system", GroupProduct::semidirect, nodes);
    CHECK(particle_span(node_places(body)) == span);
    CHECK(is_line(body) == (span == ParticleSpan::line));
    CHECK((node_places(body) * node_masses(body)).norm() < 1e-14);
    double mass = 0;
    for (const ParticleNode& node : nodes) mass += node.mass;
    CHECK(body.mass == doctest::Approx(mass).epsilon(1e-15));
    // The kinetic energy of a rotation is the sum over the nodes. Nodes on one line do not spin about it.
    const Vec3 d = node_places(body).col(0).normalized();
    Vec3 Omega = random.vector();
    if (span == ParticleSpan::line) Omega -= d * d.dot(Omega);
    const PerParticle<double> v = rotated(Omega, node_places(body));
    CHECK(Omega.dot(body.inertia * Omega) / 2 ==
          doctest::Approx(node_masses(body).dot(v.colwise().squaredNorm()) / 2).epsilon(1e-13));
    const Model accepted(Mechanism{{body}});
  }
}

TEST_CASE("far from the origin a line of nodes stays a line, and reactions are accurate to rounding there") {
  Random random(8);
  for (const ParticleSpan span : {ParticleSpan::line, ParticleSpan::plane}) {
    const auto nodes = some_nodes(random, 4, span);
    BodyMotion motion = some_motion(random);
    PerParticle<double> F(3, 4);
    for (auto force : F.colwise()) force = random.vector();
    const auto reactions = [&](double distance) {
      auto far = nodes;
      for (ParticleNode& node : far) node.p += distance * Vec3(1, 1, 1);
      const Body body = rigid_particles("system", GroupProduct::direct, far);
      CHECK(particle_span(node_places(body)) == span);
      PerParticle<double> all(3, 4);
      const auto moved = node_motions(body, motion, F);
      for (std::size_t i = 0; i < 4; ++i) all.col(static_cast<Eigen::Index>(i)) = moved[i].reaction;
      return all;
    };
    const PerParticle<double> near = reactions(0);
    for (const double distance : {1e5, 1e7, 1e8, 1e9}) {
      CAPTURE(distance);
      CHECK(greatest(reactions(distance) - near) < 1e-14 * distance);
    }
  }
}

TEST_CASE("the principal moments of nodes are the sums of m r^2, and the moment about a line of nodes is 0") {
  Random random(7);
  for (const ParticleSpan span : {ParticleSpan::line, ParticleSpan::plane, ParticleSpan::space}) {
    const Body body = rigid_particles("system", GroupProduct::direct, some_nodes(random, 4, span));
    const auto [kind, moments, axes] = principal_inertia(body);
    const bool line = span == ParticleSpan::line;
    CHECK(to_string(kind) == std::string(line ? "symmetric" : "asymmetric"));
    for (int k = 0; k < 3; ++k) {  // the moment about an axis is the sum of m_i times the distances squared
      const PerParticle<double> arms = rotated<double>(axes.col(k), node_places(body));
      CHECK(node_masses(body).dot(arms.colwise().squaredNorm()) ==
            doctest::Approx(moments[k]).epsilon(1e-13));
    }
    if (line) CHECK(greatest(moments[0]) < 1e-15);
    if (!line) CHECK(greatest(axes * moments.asDiagonal() * axes.transpose() - body.inertia) < 1e-14);
  }
  Body solid{"solid"};
  solid.inertia = Vec3(3, 2, 3).asDiagonal();
  CHECK(principal_inertia(solid).kind == InertiaClass::symmetric);
  CHECK(principal_inertia(solid).symmetry_axis() == Vec3::UnitY());
}

TEST_CASE("nodes move with their body, and reactions on the nodes of a free body are m a - F") {
  Random random(4);
  for (const ParticleSpan span : {ParticleSpan::line, ParticleSpan::plane, ParticleSpan::space}) {
    const Body body = rigid_particles("system", GroupProduct::direct, some_nodes(random, 6, span));
    const auto count = Eigen::Index(body.nodes.size());
    BodyMotion motion = some_motion(random);
    PerParticle<double> F(3, count);
    for (Eigen::Index i = 0; i < count; ++i) F.col(i) = random.vector();
    const ParticleSystem<double> system = particle_system(body, motion);
    motion.vdot = F.rowwise().sum() / body.mass;
    const Mat3 R = motion.R.matrix();
    motion.Omegadot = R.transpose() * angular_acceleration<double>(system, R * motion.Omega, F);
    if (span == ParticleSpan::line) {  // no spin about the line
      const Vec3 d = body.nodes[0].p.normalized();
      motion.Omega -= d * d.dot(motion.Omega);
      motion.Omegadot = R.transpose() * angular_acceleration<double>(system, R * motion.Omega, F);
    }
    const auto nodes = node_motions(body, motion, F);
    for (Eigen::Index i = 0; i < count; ++i) {
      const BodyMotion& node = nodes[std::size_t(i)];
      CHECK((node.x - (motion.x + motion.R * body.nodes[std::size_t(i)].p)).norm() < 1e-14);
      const Vec3 expected = body.nodes[std::size_t(i)].mass * node.vdot - F.col(i);
      CHECK((node.reaction - expected).norm() < 1e-12);
    }
  }
}

TEST_CASE("each node has its own forces, and the load of the body has their sum and moment") {
  Random random(5);
  const Body body =
      rigid_particles("system", GroupProduct::direct, some_nodes(random, 3, ParticleSpan::plane));
  const auto at = [&](int node) { return BodyPoint{0, body.nodes[std::size_t(node)].p, node}; };
  LinearField field{0, matrix(random), matrix(random)};
  field.p = at(1).p, field.node = 1;
  Mechanism mechanism{{body, {"other"}}};
  mechanism.forces = {{"push", BodyForce{at(0), wave3(random)}},
                      {"spring", PointSpring{at(2), {1, random.vector()}, 3., 0.2, 0.4}},
                      {"field", field},
                      {"whole", BodyForce{{0, Vec3::Zero()}, wave3(random)}},
                      {"weight", UniformGravity{}}};
  const Model model(mechanism);
  const Forces forces(model);
  Workspace<double> work(model);
  Loads<double> loads(model);
  const State x = random_state(random, model);
  forces.evaluate(0.3, x.q, x.v, work, loads);
  const int link = model.link_of_body[0];
  const Vec3 force = loads.force[link], torque = loads.torque[link];
  const auto F = forces.on_nodes(0, 0.3, x.q, x.v, work, loads);
  const auto& whole = std::get<BodyForce>(mechanism.forces[3].law);
  const Vec3 push(whole.force[0](0.3), whole.force[1](0.3), whole.force[2](0.3));
  CHECK((F.rowwise().sum() + push - force).norm() < 1e-13);
  const PerParticle<double> r = work.R_WB[link] * node_places(body);
  CHECK((total_moment<double>(r, F) - torque).norm() < 1e-13);
  for (int node = 0; node < 3; ++node) CHECK(F.col(node).norm() > 1e-3);
}

TEST_CASE("a body whose mass, centre or inertia is not that of its nodes is refused") {
  Random random(7);
  for (const ParticleSpan span : {ParticleSpan::line, ParticleSpan::plane, ParticleSpan::space}) {
    const Body good = rigid_particles("rod", GroupProduct::direct, some_nodes(random, 4, span), 0.3);
    const auto refusal = [&](const auto& change) {
      Body body = good;
      change(body);
      try {
        const Model model(Mechanism{{body}});
      } catch (const ModelError& error) {
        return std::string(error.what());
      }
      return std::string("accepted");
    };
    CHECK(refusal([](Body&) {}) == "accepted");
    const char* const wrong_node =
        "body \"rod\": node \"n2\" must have a positive and finite mass and a finite position";
    CHECK(refusal([](Body& body) { body.nodes[2].mass = 0; }) == wrong_node);
    CHECK(refusal([](Body& body) { body.nodes[2].p.y() = NAN; }) == wrong_node);
    CHECK(refusal([](Body& body) {
            body.mass *= 2;
          }).starts_with("body \"rod\": its mass must be that of its nodes, "));
    CHECK(refusal([](Body& body) {
            for (ParticleNode& node : body.nodes) node.p.x() += 0.1;
          }) == "body \"rod\": the positions of its nodes must be given from their mass centre");
    CHECK(refusal([](Body& body) { body.inertia *= 1.01; }) ==
          "body \"rod\": its inertia is not that of its nodes; rigid_particles gives it");
    CHECK(refusal([](Body& body) { body.particle = true; }) == "body \"rod\": a particle has no nodes");
  }
}

TEST_CASE("a rigid system without particles is refused") {
  CHECK_THROWS_WITH_AS(rigid_particles("rod", GroupProduct::direct, {}),
                       "the rigid system of particles \"rod\" has no nodes", std::invalid_argument);
}

TEST_CASE("forces and torques that a node cannot take are refused") {
  Random random(6);
  const auto refusal = [&](const Force& force, ParticleSpan span) {
    Mechanism mechanism{{rigid_particles("rod", GroupProduct::direct, some_nodes(random, 3, span))}};
    mechanism.forces = {force};
    if (auto* at = std::get_if<BodyForce>(&mechanism.forces[0].law); at && at->point.node == 1)
      at->point.p += mechanism.bodies[0].nodes[1].p;
    try {
      const Model model(mechanism);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto push = [](int node, const Vec3& beside) { return BodyForce{{0, beside, node}, {1., 0., 0.}}; };
  const ParticleSpan plane = ParticleSpan::plane;
  CHECK(refusal({"f", push(1, Vec3::Zero())}, plane) == "accepted");
  CHECK(refusal({"f", push(1, Vec3::UnitX())}, plane) ==
        "force \"f\": the point on the node \"n1\" is not the node itself");
  CHECK(refusal({"f", push(3, Vec3::Zero())}, plane) == "force \"f\": no node with index 3");
  CHECK(refusal({"f", push(-2, Vec3::Zero())}, plane) == "force \"f\": no node with index -2");
  const PointSpring to_ground{.a = {world, Vec3::Zero(), 0}, .b = {0, Vec3::Zero()}, .stiffness = 1.};
  CHECK(refusal({"f", to_ground}, plane) == "force \"f\": the ground has no nodes");
  BodyForce twist = push(1, Vec3::Zero());
  twist.torque = {0., 0., 1.};
  CHECK(refusal({"f", twist}, plane) ==
        "force \"f\": a torque on a node has no effect, since nodes do not turn");
  CHECK(refusal({"f", CentralGravity{1., Vec3(9, 9, 9), true}}, ParticleSpan::line) ==
        "force \"f\": the gradient of gravity needs the inertia of a body, but the nodes of \"rod\" lie in "
        "one line");
  CHECK(refusal({"f", CentralGravity{1., Vec3(9, 9, 9), false}}, ParticleSpan::line) == "accepted");
}

}  // namespace torsor::test
