#include <fmt/format.h>

#include "io/motion_kind.hpp"
#include "page_frame.hpp"
#include "scene/coordinate_particles.hpp"

/// The parts of pages that show a motion in coordinates.
namespace torsor::io {

std::vector<Body> drawn_bodies_in_coordinates(const scene::Scene& scene) {
  std::vector<Body> all;
  for (const scene::ParticleMotion& one :
       coordinate_particles(scene, scene.run.t_begin, scene.in_coordinates->start)) {
    Body body;
    body.name = fmt::format("particle {}", all.size() + 1);
    body.mass = one.mass;
    body.particle = true;
    all.push_back(std::move(body));
  }
  return all;
}

std::vector<BodyMotion> drawn_motions_in_coordinates(const scene::Scene& scene, const Sample& sample) {
  std::vector<BodyMotion> all;
  for (const scene::ParticleMotion& one : coordinate_particles(scene, sample.t, sample.x)) {
    BodyMotion motion;
    motion.x = one.x, motion.v = one.v;
    all.push_back(motion);
  }
  return all;
}

std::vector<std::vector<std::string>> contents_in_coordinates(const scene::Scene&) { return {}; }

std::vector<ReportFigure> figures_in_coordinates(const scene::Scene&) {
  return {{{"position_residual", "velocity_residual", "acceleration_residual"},
           "residual",
           "Residuals of the constraints (positions and velocities, in the units of the formulas) and of "
           "the equations of motion (relative to their greatest term).",
           true}};
}

std::string html_end_in_coordinates(const scene::Scene& scene, const Sample& last) {
  const auto text = [](double x) { return fmt::format("{:.9g}", x); };
  std::vector<std::vector<std::string>> rows = {{"coordinate", "value", "rate", "acceleration"}};
  for (Eigen::Index i = 0; i < last.x.q.size(); ++i)
    rows.push_back({scene.in_coordinates->coordinates[static_cast<std::size_t>(i)], text(last.x.q[i]),
                    text(last.x.v[i]), text(last.a[i])});
  return html_table(rows, true);
}

}  // namespace torsor::io
