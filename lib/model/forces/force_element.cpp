#include <cmath>
#include <stdexcept>
#include <unordered_set>

#include "force_kind.hpp"

// A force element: a user's functions of some bodies and of its own states.

namespace torsor {
namespace {

ForceElement::Input input_of(const ForceElement& law, const ForceInstant& now) {
  auto& [bodies, wrenches, states] = now.user;
  bodies.clear();
  for (const int body : law.bodies) bodies.push_back(kinematics_of(now.model.link_of_body[body], now.work));
  states.clear();
  for (const int state : law.states) states.push_back(now.feedback.states()[state]);
  return {now.t, bodies, states};
}

void evaluate_wrenches(const ForceElement& law, const ForceInstant& now) {
  const ForceElement::Input input = input_of(law, now);
  now.user.wrenches.assign(law.bodies.size(), Wrench());
  law.function(input, now.user.wrenches);
  if (now.user.wrenches.size() != law.bodies.size())
    throw std::runtime_error("the function changed the number of wrenches");
}

ForceElement::Energy energy_of(const ForceElement& law, const ForceInstant& now) {
  const ForceElement::Energy energy = law.energy(input_of(law, now));
  if (!std::isfinite(energy.potential)) throw std::runtime_error("the potential energy is not finite");
  if (!std::isfinite(energy.power)) throw std::runtime_error("the power is not finite");
  return energy;
}

class ForceElementKind final : public ForceKind<ForceElement> {
 public:
  bool reads(std::string_view kind) const override { return kind == "plugin"; }
  ForceElement read(const LawTable& table) const override { return table.force_plugin(); }

  void check(const ForceElement& law, ForceCheck& at) const override {
    at.require(bool(law.function), "no function is given");
    at.require(!law.bodies.empty(), "it acts on no body");
    std::unordered_set<int> seen;
    for (const int body : law.bodies) {
      at.check_point({body});
      at.require(body != world, "the ground is listed among its bodies");
      at.require(seen.insert(body).second, "a body is listed twice");
    }
    for (const int state : law.states)
      at.require(state >= 0 && state < static_cast<int>(at.mechanism().states.size()),
                 "no own state with index " + std::to_string(state));
  }

  void add_loads(const ForceElement& law, const ForceInstant& now, Loads<double>& loads) const override {
    evaluate_wrenches(law, now);
    for (std::size_t i = 0; i < law.bodies.size(); ++i) {
      const Body& body = now.model.mechanism().bodies[law.bodies[i]];
      const Wrench& wrench = now.user.wrenches[i];
      if (body.particle && !wrench.torque.isZero(0))
        throw std::runtime_error("a torque acts on the particle \"" + body.name + "\"");
      const int link = now.model.link_of_body[law.bodies[i]];
      loads.force[link] += wrench.force;
      loads.torque[link] += wrench.torque;
    }
  }

  double potential(const ForceElement& law, const ForceInstant& now) const override {
    return law.energy ? energy_of(law, now).potential : 0;
  }

  double power(const ForceElement& law, const ForceInstant& now) const override {
    if (law.energy) return energy_of(law, now).power;
    evaluate_wrenches(law, now);
    double sum = 0;
    for (std::size_t i = 0; i < law.bodies.size(); ++i) {
      const BodyKinematics& body = now.user.bodies[i];
      sum += now.user.wrenches[i].force.dot(body.v_W) + now.user.wrenches[i].torque.dot(body.omega_W);
    }
    return sum;
  }

  bool conserves_energy(const ForceElement&) const override { return false; }
  bool depends_on_velocity(const ForceElement&) const override { return true; }
  // `functions` is not overridden, so depends_on_time is false: the library cannot know whether the function
  // depends on time, and treats it as independent of time.
  std::vector<int> loaded_bodies(const ForceElement& law, const Mechanism&) const override {
    return law.bodies;
  }
  std::vector<int> coupled_bodies(const ForceElement& law) const override { return law.bodies; }
  void draw(const ForceElement& law, const Mechanism&, LawDrawing& out) const override {
    for (const int body : law.bodies) out.mark("point", body, SE3<>::identity());
  }
};

}  // namespace

const ForceKind<ForceElement>& ForceElement::kind() {
  static constexpr ForceElementKind kind;
  return kind;
}

}  // namespace torsor
