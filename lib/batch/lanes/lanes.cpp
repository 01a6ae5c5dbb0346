#include "lanes.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <utility>
#include <variant>

#include "floating_point.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/system/tree_system.hpp"

namespace torsor::batch {
namespace {

thread_local Lanes* of_thread = nullptr;

/// The greatest number of links of a tree that runs in lanes. The working data of larger trees does not fit
/// into the caches.
constexpr int most_links = 64;
/// The greatest number of groups of cases that are kept, besides those of running cases.
constexpr std::size_t most_groups = 8;

bool is_steady_gravity(const Force& force) {
  const auto* gravity = std::get_if<UniformGravity>(&force.law);
  return gravity && std::all_of(gravity->g.begin(), gravity->g.end(),
                                [](const TimeFunction& g) { return g.is_constant(); });
}

/// Whether a model is a tree that packs can evaluate. Packs cannot evaluate several tops side by side, which
/// have a separate recursion.
bool fits(const Model& model) {
  const auto& forces = model.mechanism().forces;
  return !model.constrained() && model.mechanism().states.empty() &&
         model.formulation() == Formulation::tree && 0 < model.size() && model.size() <= most_links &&
         std::all_of(forces.begin(), forces.end(), is_steady_gravity) &&
         (model.size() == 1 || !mechanics::PivotedBodies::describe(model));
}

/// All numbers of a model that the recursions over the links read.
std::vector<double> numbers_of(const Model& model) {
  std::vector<double> all;
  const auto add = [&all](const auto&... numbers) { (all.push_back(static_cast<double>(numbers)), ...); };
  const auto add_pose = [&](const SE3<>& X) {
    std::array<double, 7> numbers;
    X.to(numbers.data());
    all.insert(all.end(), numbers.begin(), numbers.end());
  };
  for (int i = 0; i < model.size(); ++i) {
    add(model.parent[i], static_cast<int>(model.kind[i]), static_cast<int>(model.group[i]), model.pitch[i],
        static_cast<int>(model.moves_inversely[i]));
    const auto& [m, mc, J] = model.inertia[i];
    add(m, mc.x, mc.y, mc.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz);
    add_pose(model.X_PF[i]), add_pose(model.X_MB[i]);
  }
  for (const Force& force : model.mechanism().forces)
    for (const TimeFunction& g : std::get<UniformGravity>(force.law).g) add(g(0));
  return all;
}

}  // namespace

bool runs_in_lanes(std::string_view method) {
  constexpr std::array<std::string_view, 6> methods{"rkmk4",           "rkmk-ck54",   "rkmk-dopri5",
                                                    "rkmk-fehlberg78", "rkmk-dop853", "cf4"};
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

int Lanes::count(const Study& study) try {
  if (!Fiber::available() || !is_available(lane_isa)) return 1;
  const scene::Scene scene = study.scene.scene(study.overrides(study.values(0)));
  if (!runs_in_lanes(scene.run.method)) return 1;
  const scene::ReadyScene ready = prepare(scene);
  const auto* bodies = std::get_if<scene::ReadyModel>(&ready);
  if (bodies == nullptr || !fits(bodies->model)) return 1;
  return lane_width;
} catch (const std::exception&) {
  return 1;  // the error is reported when the case runs
}

Lanes* Lanes::here() { return of_thread; }

void Lanes::run(const std::function<void(int)>& body, const std::function<void(int)>& entered) {
  const mechanics::DefaultArithmetic arithmetic;
  of_thread = this;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i].fiber = std::make_unique<Fiber>([&body, i] { body(static_cast<int>(i)); });
  std::exception_ptr failure;  // thrown after the other lanes have ended
  do {
    for (now_ = 0; now_ < lanes_.size(); ++now_) {
      if (lanes_[now_].waiting || lanes_[now_].fiber->ended()) continue;
      entered(static_cast<int>(now_));
      try {
        lanes_[now_].fiber->resume();
      } catch (...) {
        failure = std::current_exception();
      }
    }
  } while (step_together());
  of_thread = nullptr;
  if (failure) std::rethrow_exception(failure);
}

std::shared_ptr<Lanes::Group> Lanes::group(const std::string& method, std::vector<double> kind) {
  const auto at = std::find_if(groups_.begin(), groups_.end(), [&](const auto& group) {
    return group->method == method && group->kind == kind;
  });
  if (at != groups_.end()) return *at;
  if (groups_.size() == most_groups) groups_.erase(groups_.begin());
  groups_.push_back(std::make_shared<Group>(Group{method, std::move(kind), nullptr}));
  return groups_.back();
}

void Lanes::take(mechanics::LaneStep& step, Group& group, const Model* model) {
  Lane& lane = lanes_[now_];
  lane.waiting = &step, lane.group = &group, lane.model = model;
  lane.fiber->stop();
}

/// Takes the steps for which lanes wait. False if no lane waits.
bool Lanes::step_together() {
  const long round = ++round_;
  bool any = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i].waiting || lanes_[i].round == round) continue;
    any = true;
    take_group(i);
  }
  return any;
}

/// Takes the steps of this lane and of all lanes that can step with it. A step that no other lane can join is
/// left to its case, unless steps `with_outputs` come before it. If there is no memory for a stepper, every
/// step is left to its case.
void Lanes::take_group(std::size_t first) {
  const Lane& leader = lanes_[first];
  std::size_t together = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    steps_[i] = lane.group == leader.group ? lane.waiting : nullptr;
    if (!steps_[i]) continue;
    lane.round = round_;
    ++together;
  }
  try {
    auto& [method, kind, stepper] = *leader.group;
    const bool alone = together == 1 && !leader.waiting->with_outputs;
    if (!alone && !stepper) stepper = make_lane_stepper(method, leader.model);
    if (!alone) stepper->take(steps_.data());
  } catch (const std::bad_alloc&) {
  }
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (steps_[i] && !steps_[i]->goes_on) lanes_[i].waiting = nullptr;
}

std::unique_ptr<Stepper> CaseTaker::make_method() {
  auto stepper = find_method(method())->make();
  dynamic_cast<StepperWithTaker&>(*stepper).hand_over(*this);
  return stepper;
}

bool CaseTaker::accept(const Model& model, bool is_top) {
  if (!runs_in_lanes(method()) || !fits(model)) return false;
  model_ = is_top ? nullptr : &model;
  group_ = lanes_.group(method(), is_top ? std::vector<double>() : numbers_of(model));
  return true;
}

void CaseTaker::take(mechanics::LaneStep& step) { lanes_.take(step, *group_, model_); }

}  // namespace torsor::batch
