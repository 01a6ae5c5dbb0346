#include <algorithm>

#include "diagnostics.hpp"
#include "places.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {
namespace {

template <class Named>
int index_of(const std::vector<Named>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

scene::Position body_place(std::string_view what, const ScenePlaces::BodyPlace& places) {
  if (what.starts_with(": inertia")) return places.inertia;
  if (what.starts_with(": mass")) return places.mass;
  if (what.starts_with(": its position")) return places.position;
  if (what.starts_with(": its attitude")) return places.attitude;
  if (what.starts_with(": its velocity")) return places.velocity;
  if (what.starts_with(": its angular velocity")) return places.angular_velocity;
  return places.table;
}

/// The place that a reason such as `body "top": inertia ...` speaks of: that of the first named part.
scene::Position place(const std::string& reason, const Mechanism& mechanism, const ScenePlaces& places) {
  const std::size_t open = reason.find('"'), close = reason.find('"', open + 1);
  if (open == std::string::npos || close == std::string::npos) return {};
  const std::string_view text(reason), name = text.substr(open + 1, close - open - 1),
                                       before = text.substr(0, open);
  const auto speaks_of = [&](std::string_view word) { return before.ends_with(std::string(word) + " "); };
  if (speaks_of("joint"))
    if (const int i = index_of(mechanism.joints, name); i >= 0) return places.joints[i];
  if (speaks_of("constraint"))
    if (const int i = index_of(mechanism.constraints, name); i >= 0) return places.constraints[i];
  if (speaks_of("force"))
    if (const int i = index_of(mechanism.forces, name); i >= 0) return places.forces[i];
  const int body = index_of(mechanism.bodies, name);
  return body < 0 ? scene::Position() : body_place(text.substr(close + 1), places.bodies[body]);
}

[[noreturn]] void report(const std::vector<std::string>& reasons, const Scene& scene) {
  static const ScenePlaces nowhere;
  const ScenePlaces& places = scene.places ? *scene.places : nowhere;
  scene::Diagnostics diagnostics(places.file, places.overrides);
  if (scene.places)
    scene::tell(reasons, scene.mechanism, places, diagnostics);
  else
    for (const std::string& reason : reasons) diagnostics.error(scene::Position(), reason);
  diagnostics.throw_if_any();
  throw SceneError({{places.file, 0, 0, "not a mechanism"}});
}

}  // namespace

void scene::tell(const std::vector<std::string>& reasons, const Mechanism& mechanism,
                 const ScenePlaces& places, Diagnostics& diagnostics) {
  for (const std::string& reason : reasons) diagnostics.error(place(reason, mechanism, places), reason);
}

ReadyScene make_model(const Scene& scene) {
  if (scene.chart) throw SceneError({{scene.name, 0, 0, "a scene in coordinates has no model: make_chart"}});
  try {
    const Formulation formulation =
        scene.formulation == "absolute" ? Formulation::absolute : Formulation::tree;
    Model model(scene.mechanism, formulation, scene.cut);
    std::vector<std::string> notes;
    State start = consistent_start(model, scene.start, scene.run.t_begin, scene.consistent, &notes);
    return {std::move(model), std::move(start), std::move(notes)};
  } catch (const ModelError& error) {
    report(error.reasons, scene);
  } catch (const StartError& error) {
    report(error.reasons, scene);
  }
}

}  // namespace torsor
