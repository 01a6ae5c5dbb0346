#include <fmt/format.h>

#include <algorithm>

#include "io/motion_kind.hpp"
#include "page_frame.hpp"

/// The parts of pages that show a motion of bodies.
namespace torsor::io {

std::vector<Body> drawn_bodies_of_bodies(const scene::Scene& scene) { return scene.mechanism.bodies; }

std::vector<BodyMotion> drawn_motions_of_bodies(const scene::Scene&, const Sample& sample) {
  return sample.bodies;
}

std::vector<std::vector<std::string>> contents_of_bodies(const scene::Scene& scene) {
  const Mechanism& mechanism = scene.mechanism;
  return {{"mechanism",
           fmt::format("bodies {}, joints {}, forces {}, constraints {}", mechanism.bodies.size(),
                       mechanism.joints.size(), mechanism.forces.size(), mechanism.constraints.size())}};
}

std::vector<ReportFigure> figures_of_bodies(const scene::Scene& scene) {
  std::vector<ReportFigure> all;
  if (const auto states = own_states(scene.mechanism); !states.empty()) {
    std::vector<std::string> columns;
    for (const Column& state : states) columns.push_back(state.name);
    all.push_back({std::move(columns), "state", "States of controllers, and sampled values."});
  }
  all.insert(all.end(),
             {{{"position_residual", "velocity_residual", "acceleration_residual"},
               "residual",
               "Residuals of the constraints (positions in m or rad, velocities in m/s or rad/s) and of the "
               "equations of motion (relative to their greatest term).",
               true},
              {{"linear_momentum_*"}, "linear momentum (kg m/s)", "Linear momentum, world axes."},
              {{"angular_momentum_*"},
               "angular momentum (kg m²/s)",
               "Angular momentum about the origin, world axes."}});
  return all;
}

std::string html_end_of_bodies(const scene::Scene& scene, const Sample& last) {
  constexpr std::size_t most = 60;
  const auto text = [](double x) { return fmt::format("{:.9g}", x); };
  std::vector<std::vector<std::string>> rows = {
      {"body", "x (m)", "y (m)", "z (m)", "v_x (m/s)", "v_y (m/s)", "v_z (m/s)"}};
  for (std::size_t i = 0; i < std::min(last.bodies.size(), most); ++i) {
    const BodyMotion& body = last.bodies[i];
    rows.push_back({scene.mechanism.bodies[i].name, text(body.x.x()), text(body.x.y()), text(body.x.z()),
                    text(body.v.x()), text(body.v.y()), text(body.v.z())});
  }
  std::string html = html_table(rows, true);
  if (last.bodies.size() > most) {
    const std::size_t more = last.bodies.size() - most;
    html += fmt::format("<p class=\"soft\">and {} more {}</p>\n", more, more == 1 ? "body" : "bodies");
  }
  return html;
}

}  // namespace torsor::io
