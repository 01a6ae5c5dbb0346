#include <unordered_map>

#include "diagnostics.hpp"
#include "places.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {
namespace {

/// Finds the index of a part by its name; of several parts with the same name, the first.
class Index {
 public:
  template <class Named>
  explicit Index(const std::vector<Named>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) places_.try_emplace(all[i].name, i);
  }
  /// The element of `at` that belongs to a name; nullptr if the name is unknown or `at` is too short.
  template <class Place>
  const Place* find(std::string_view name, const std::vector<Place>& at) const {
    const auto found = places_.find(name);
    return found == places_.end() || found->second >= at.size() ? nullptr : &at[found->second];
  }

 private:
  std::unordered_map<std::string_view, std::size_t> places_;
};

scene::Position body_place(std::string_view what, const ScenePlaces::BodyPlace& places) {
  if (what.starts_with(": inertia")) return places.inertia;
  if (what.starts_with(": mass")) return places.mass;
  if (what.starts_with(": its position")) return places.position;
  if (what.starts_with(": its attitude")) return places.attitude;
  if (what.starts_with(": its velocity")) return places.velocity;
  if (what.starts_with(": its angular velocity")) return places.angular_velocity;
  return places.table;
}

/// Finds the position in the file of the part that a reason such as `body "top": inertia ...` names.
class Finder {
 public:
  Finder(const Mechanism& mechanism, const ScenePlaces& places)
      : places_(places),
        bodies_(mechanism.bodies),
        joints_(mechanism.joints),
        forces_(mechanism.forces),
        constraints_(mechanism.constraints) {}

  /// The position of the first part that the reason names; the beginning of the file if it names none.
  scene::Position operator()(std::string_view reason) const {
    if (reason.starts_with("[chart]")) return places_.chart;
    const std::size_t open = reason.find('"'), close = reason.find('"', open + 1);
    if (open == std::string::npos || close == std::string::npos) return {1, 1};
    const std::string_view name = reason.substr(open + 1, close - open - 1), before = reason.substr(0, open);
    const scene::Position* part = before.ends_with("joint ") ? joints_.find(name, places_.joints)
                                  : before.ends_with("constraint ")
                                      ? constraints_.find(name, places_.constraints)
                                  : before.ends_with("force ") ? forces_.find(name, places_.forces)
                                                               : nullptr;
    if (part) return *part;
    const auto* body = bodies_.find(name, places_.bodies);
    return body ? body_place(reason.substr(close + 1), *body) : scene::Position(1, 1);
  }

 private:
  const ScenePlaces& places_;
  Index bodies_, joints_, forces_, constraints_;
};

[[noreturn]] void report(const std::vector<std::string>& reasons, const Scene& scene) {
  static const ScenePlaces nowhere;
  const ScenePlaces& places = scene.places ? *scene.places : nowhere;
  scene::Diagnostics diagnostics(places.file, places.overrides);
  scene::tell(reasons, scene.mechanism, places, diagnostics);
  diagnostics.throw_if_any();
  throw SceneError({{places.file, 0, 0, "not a mechanism"}});
}

}  // namespace

void scene::tell(const std::vector<std::string>& reasons, const Mechanism& mechanism,
                 const ScenePlaces& places, Diagnostics& diagnostics) {
  const Finder place(mechanism, places);
  for (const std::string& reason : reasons) diagnostics.error(place(reason), reason);
}

void refuse_start(const Scene& scene, const std::string& reason) { report({reason}, scene); }

ReadyScene make_model(const Scene& scene) {
  if (scene.chart) throw SceneError({{scene.name, 0, 0, "a scene in coordinates has no model: make_chart"}});
  try {
    const Formulation formulation =
        scene.formulation == "absolute" ? Formulation::absolute : Formulation::tree;
    Model model(scene.mechanism, formulation, scene.cut);
    std::vector<std::string> notes;
    const Treatment treatment = find_treatment(scene.run.constraints).value_or(Treatment::index_1);
    State start =
        consistent_start(model, scene.start, scene.run.t_begin, scene.consistent, &notes, treatment);
    return {std::move(model), std::move(start), std::move(notes)};
  } catch (const ModelError& error) {
    report(error.reasons, scene);
  } catch (const StartError& error) {
    report(error.reasons, scene);
  } catch (const EvaluationError& error) {  // from a constraint or a function of time, at the start
    report({std::string(error.what()) + "; give a start at which it can be evaluated"}, scene);
  }
}

}  // namespace torsor
