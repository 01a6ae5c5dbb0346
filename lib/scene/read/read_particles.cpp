#include <fmt/format.h>

#include <algorithm>

#include "looks.hpp"
#include "reading.hpp"
#include "torsor/model/rigid_particles.hpp"

namespace torsor::scene {
namespace {

using Particles = std::vector<TableReader>;

/// Greatest departure from a rigid motion: m/s, relative to the greatest velocity if this is above 1 m/s; for
/// the relative rate of change of a distance, 1/s.
constexpr double tolerance = 1e-9;

void read_free_particle(const TableReader& table, Scene& scene) {
  Body particle{table.text("name"), table.number("mass").value_or(1), Mat3::Zero()};
  particle.particle = true;
  BodyStart start;
  start.x = table.vec3("position");
  start.v_W = table.vec3("velocity_world");
  scene.mechanism.bodies.push_back(std::move(particle));
  scene.looks.push_back({{}, read_color(table)});
  scene.start.bodies.push_back(std::move(start));
}

/// Indices, among all particles, of the nodes that a system names. A particle belongs to at most one system.
std::vector<int> read_nodes(const TableReader& table, const Particles& particles, const Names& names,
                            std::vector<int>& system_of, int system) {
  std::vector<int> nodes;
  if (!table.readable("nodes")) return nodes;
  for (const std::string& name : table.texts("nodes")) {
    const int k = names.find(name);
    const auto refuse = [&](const std::string& why) {
      table.error("nodes", fmt::format("\"nodes\" of {}: {}", table.where(), why));
    };
    if (k < 0)
      table.error("nodes", [&] {
        return fmt::format("\"nodes\" of {}: no particle \"{}\"{}", table.where(), name, names.hint(name));
      });
    else if (system_of[k] >= 0)
      refuse(fmt::format("\"{}\" is already a node of a rigid system", name));
    else if (!particles[k].find("position"))
      refuse(fmt::format("\"{}\" needs a \"position\"", name));
    else
      system_of[k] = system, nodes.push_back(k);
  }
  return nodes;
}

/// Why the velocities are not a rigid motion; empty if they are. Names the node that is farthest from a rigid
/// motion, and the pair of nodes whose distance changes fastest relative to its length, if any distance
/// changes.
std::string why_not_rigid(const Body& body, const geometry::ParticleSystem<double>& system,
                          const geometry::PerParticle<double>& v) {
  const geometry::PerParticle<double> rest = geometry::split_velocities(system, v).rest;
  Eigen::Index worst = 0;
  const double most = rest.colwise().norm().maxCoeff(&worst);
  if (most <= tolerance * std::max(1., v.cwiseAbs().maxCoeff())) return {};
  double strain_rate = 0;
  std::size_t a = 0, b = 0;
  for (std::size_t i = 0; i < body.nodes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto column = [&](const geometry::PerParticle<double>& all) {
        return Vec3(all.col(static_cast<Eigen::Index>(i)) - all.col(static_cast<Eigen::Index>(j)));
      };
      const Vec3 d = column(system.r);
      const double rate = d.squaredNorm() > 0 ? column(v).dot(d) / d.squaredNorm() : 0;
      if (std::abs(rate) > std::abs(strain_rate)) strain_rate = rate, a = j, b = i;
    }
  std::string why = fmt::format("the velocity of \"{}\" differs from a rigid motion by {:.6g} m/s",
                                body.nodes[static_cast<std::size_t>(worst)].name, most);
  if (std::abs(strain_rate) <= tolerance) return why;
  return fmt::format(
      "{}; the distance from \"{}\" to \"{}\" has the greatest relative rate of change, {:.6g} 1/s", why,
      body.nodes[a].name, body.nodes[b].name, strain_rate);
}

/// Reads the velocities of the system, or computes them from the velocities of all nodes.
void read_velocities(const TableReader& table, const Particles& nodes,
                     const geometry::ParticleSystem<double>& system, const Body& body, BodyStart& start) {
  start.v_W = table.vec3("velocity_world");
  const Vec3 omega_W = table.vec3("angular_velocity_world").value_or(Vec3::Zero());
  // The component about a line of nodes moves no node (rigid_particles.hpp). It is left out.
  const bool all_counts =
      system.span == geometry::ParticleSpan::plane || system.span == geometry::ParticleSpan::space;
  start.omega_W = all_counts ? omega_W : angular_velocity(system, geometry::rotated(omega_W, system.r));
  const auto given = std::count_if(nodes.begin(), nodes.end(), [](const TableReader& node) {
    return node.find("velocity_world") != nullptr;
  });
  if (given == 0) return;
  const bool twice = table.find("velocity_world") || table.find("angular_velocity_world");
  if (twice || given < static_cast<std::ptrdiff_t>(nodes.size()))
    return table.error({}, fmt::format("{}: give a velocity of every node, or of the system", table.where()));
  geometry::PerParticle<double> v(3, system.r.cols());
  for (Eigen::Index i = 0; i < v.cols(); ++i)
    v.col(i) = nodes[static_cast<std::size_t>(i)].vec3("velocity_world").value_or(Vec3::Zero());
  if (const std::string why = why_not_rigid(body, system, v); !why.empty())
    table.error({}, fmt::format("{}: {}", table.where(), why));
  start.v_W = v * system.mu;
  start.omega_W = angular_velocity(system, v);
}

void read_system(Reading& reading, const TableReader& table, const Particles& nodes) {
  Scene& scene = reading.scene;
  std::vector<ParticleNode> points;
  for (const TableReader& node : nodes)
    points.push_back(
        {node.text("name"), node.number("mass").value_or(1), node.vec3("position").value_or(Vec3::Zero())});
  const GroupProduct product = product_named(table.text("group"), scene.group);
  Body body{table.text("name")};
  body.nodes = points;
  BodyStart start;
  if (points.size() > 1) {
    const geometry::ParticleSystem<double> system =
        geometry::particle_system(node_masses(body), node_places(body));
    if (system.span == geometry::ParticleSpan::point)
      table.error("nodes",
                  fmt::format("\"nodes\" of {} are all at one place; use a single particle", table.where()));
    start.x = system.p0, start.R = SO3<>::identity();
    if (system.Sigma.allFinite())
      read_velocities(table, nodes, system, body, start);
    else
      table.error("nodes",
                  fmt::format("\"nodes\" of {} are so far apart that the squares of their distances overflow",
                              table.where()));
    body = rigid_particles(table.text("name"), product, std::move(points));
  }
  scene.mechanism.bodies.push_back(std::move(body));
  scene.looks.emplace_back();
  scene.start.bodies.push_back(std::move(start));
}

}  // namespace

void read_particles(Reading& reading) {
  const Particles particles = reading.tables("particle"), systems = reading.tables("rigid_particles");
  std::vector<int> system_of(particles.size(), -1);
  Names names;
  for (const TableReader& particle : particles) names.add(particle.text("name"));
  std::vector<std::vector<int>> nodes;
  for (const TableReader& system : systems)
    nodes.push_back(read_nodes(system, particles, names, system_of, static_cast<int>(nodes.size())));

  auto& bodies = reading.scene.mechanism.bodies;
  const std::size_t first = reading.body_places.size();
  for (std::size_t k = 0; k < particles.size(); ++k) {
    reading.body_places.push_back({static_cast<int>(bodies.size())});
    if (system_of[k] < 0) read_free_particle(particles[k], reading.scene);
  }
  for (std::size_t s = 0; s < systems.size(); ++s) {
    const int body = static_cast<int>(bodies.size());
    Particles own;
    for (std::size_t i = 0; i < nodes[s].size(); ++i) {
      own.push_back(particles[nodes[s][i]]);
      reading.body_places[first + nodes[s][i]] = {body, static_cast<int>(i)};
    }
    read_system(reading, systems[s], own);
    reading.body_places.push_back({body});
  }
}

}  // namespace torsor::scene
