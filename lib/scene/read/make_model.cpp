#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

#include "model/declared_joint.hpp"
#include "places.hpp"
#include "scene/diagnostics.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {
namespace {

const Position& field_place(const ScenePlaces::BodyPlace& places, Reason::Field field) {
  switch (field) {
    case Reason::Field::mass:
      return places.mass;
    case Reason::Field::inertia:
      return places.inertia;
    case Reason::Field::position:
      return places.position;
    case Reason::Field::attitude:
      return places.attitude;
    case Reason::Field::velocity:
      return places.velocity;
    case Reason::Field::angular_velocity:
      return places.angular_velocity;
    default:
      return places.table;
  }
}

/// The position in the file of the part and field that a reason is about.
Position place_of(const Reason& reason, const ScenePlaces& places) {
  const auto index = static_cast<std::size_t>(reason.part.index);
  const auto in = [&](const auto& all) { return index < all.size() ? &all[index] : nullptr; };
  const Position* found = nullptr;
  switch (reason.part.kind) {
    case Part::Kind::body:
      if (const auto* body = in(places.bodies)) found = &field_place(*body, reason.field);
      break;
    case Part::Kind::joint:
      found = in(places.joints);
      break;
    case Part::Kind::force:
      found = in(places.forces);
      break;
    case Part::Kind::constraint:
      found = in(places.constraints);
      break;
    case Part::Kind::none:
      break;
  }
  return found ? *found : places.whole;
}

const ScenePlaces& places_of(const Scene& scene) {
  static const ScenePlaces nowhere;
  return scene.places ? *scene.places : nowhere;
}

[[noreturn]] void report(const Reasons& reasons, const Scene& scene) {
  const ScenePlaces& places = places_of(scene);
  Diagnostics diagnostics(places.file, places.overrides);
  tell(reasons, places, diagnostics);
  diagnostics.throw_if_any();
  throw SceneError({{places.file, 0, 0, "not a mechanism"}});
}

/// A step ends at each sample. A run without an event that stops it cannot end if there are more samples than
/// steps.
void check_samples(const Scene& scene) {
  const auto stops = [](const auto& events) {
    return std::any_of(events.begin(), events.end(), [](const auto& event) { return event.stop; });
  };
  if (stops(scene.events) || stops(scene.run.events)) return;
  const ScenePlaces& places = places_of(scene);
  Diagnostics diagnostics(places.file, places.overrides);
  std::size_t sampled = 0;
  for (const OwnState& state : scene.mechanism.states) {
    if (!(state.period > 0)) continue;
    const Position& at = sampled < places.periods.size() ? places.periods[sampled] : places.whole;
    ++sampled;
    const double samples = (scene.run.t_end - scene.run.t_begin) / state.period;
    if (samples > static_cast<double>(scene.run.max_steps))
      diagnostics.error(at,
                        fmt::format("\"period\" of sampled \"{}\": {} samples are more than \"max_steps\" of "
                                    "[run], {}",
                                    state.name, samples, scene.run.max_steps));
  }
  diagnostics.throw_if_any();
}

/// A joint, and the index of a coordinate in it.
using PlaceInJoint = std::pair<int, int>;

/// The coordinates of joints that are known at the start: the start gives them, or they follow at t from
/// drivers, gears and couplings. These constraints are examined in their order, pass by pass, once only one
/// of their terms is unknown.
std::map<PlaceInJoint, double> known_coordinates(const Mechanism& mechanism, const Start& start, double t) {
  std::map<PlaceInJoint, double> known;
  for (std::size_t j = 0; j < start.joints.size(); ++j)
    if (const auto& q = start.joints[j].q)
      for (int k = 0; k < q->size(); ++k) known[{static_cast<int>(j), k}] = (*q)[k];
  std::vector<const JointCoupling*> laws;
  std::vector<int> open;  // over laws, the number of terms that are not known
  std::map<PlaceInJoint, std::vector<std::size_t>> uses;
  std::set<std::pair<int, std::size_t>> next;  // passes and laws
  for (const Constraint& each : mechanism.constraints) {
    const auto* const law = std::get_if<JointCoupling>(&each.law);
    if (!law) continue;
    open.push_back(0);
    for (const JointCoupling::Term& term : law->terms)
      if (!known.contains({term.joint, term.coordinate}))
        ++open.back(), uses[{term.joint, term.coordinate}].push_back(laws.size());
    if (open.back() == 1) next.emplace(0, laws.size());
    laws.push_back(law);
  }
  while (!next.empty()) {
    const auto [pass, i] = *next.begin();
    next.erase(next.begin());
    if (open[i] != 1) continue;
    double rest = laws[i]->value(t);
    const JointCoupling::Term* left = nullptr;
    for (const JointCoupling::Term& term : laws[i]->terms)
      if (const auto at = known.find({term.joint, term.coordinate}); at != known.end())
        rest -= term.ratio * at->second;
      else
        left = &term;
    if (!std::isfinite(rest / left->ratio)) continue;
    const PlaceInJoint found(left->joint, left->coordinate);
    known[found] = rest / left->ratio;
    for (const std::size_t law : uses[found])
      if (--open[law] == 1) next.emplace(law > i ? pass : pass + 1, law);
  }
  return known;
}

/// The mechanism with the turns of the angles that the start gives or that follow from these at t.
Mechanism with_turns(Mechanism mechanism, const Start& start, double t) {
  const auto known = known_coordinates(mechanism, start, t);
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    Joint& joint = mechanism.joints[j];
    std::size_t i = 0;
    for (const int k : counted_coordinates(joint)) {
      if (const auto at = known.find({static_cast<int>(j), k}); at != known.end())
        joint.angles_near[i] = at->second;
      ++i;
    }
  }
  return mechanism;
}

/// Whether a joint without coordinates in the model starts more than half a turn from its angles_near. If so,
/// changes these to its angles at the start.
bool add_turns(const Model& model, const std::vector<std::array<double, 2>>& angles, Mechanism& mechanism) {
  bool added = false;
  for (std::size_t j = 0; j < angles.size(); ++j)
    for (std::size_t i = 0; i < 2; ++i) {
      double& near = mechanism.joints[j].angles_near[i];
      if (model.link_of_joint[j] >= 0 || !(std::abs(angles[j][i] - near) > std::numbers::pi)) continue;
      near = angles[j][i];
      added = true;
    }
  return added;
}

}  // namespace

void tell(const Reasons& reasons, const ScenePlaces& places, Diagnostics& diagnostics) {
  for (const Reason& reason : reasons) diagnostics.error(place_of(reason, places), reason.text);
}

void refuse_start(const Scene& scene, const Reason& reason) { report({reason}, scene); }

ReadyModel make_model(const Scene& scene) {
  if (scene.in_coordinates)
    throw SceneError({{scene.name, 0, 0, "a scene in coordinates has no model; use make_system"}});
  check_samples(scene);
  try {
    Mechanism mechanism = with_turns(scene.mechanism, scene.start, scene.run.t_begin);
    Model model(mechanism, scene.formulation, scene.cut);
    std::vector<std::string> notes;
    std::vector<std::array<double, 2>> angles;
    const Treatment treatment = scene.run.constraints.value_or(Treatment::index_1);
    State start =
        consistent_start(model, scene.start, scene.run.t_begin, scene.consistent, &notes, treatment, &angles);
    if (add_turns(model, angles, mechanism))
      model = Model(std::move(mechanism), scene.formulation, scene.cut);
    return {std::move(model), std::move(start), std::move(notes)};
  } catch (const ModelError& error) {
    report(error.reasons, scene);
  } catch (const StartError& error) {
    report(error.reasons, scene);
  } catch (const EvaluationError& error) {  // from a constraint or a function of time, at the start
    refuse_start(scene,
                 {error.part, {}, std::string(error.what()) + "; give a start at which it can be evaluated"});
  }
}

}  // namespace torsor::scene
