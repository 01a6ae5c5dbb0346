#include <stdexcept>

#include "force_kind.hpp"

// A force that a user's function gives.

namespace torsor {
namespace {

void call(const UserForce& law, const ForceInstant& now) {
  auto& [bodies, wrenches, states] = now.user;
  bodies.resize(now.model.size());
  wrenches.assign(now.model.size(), Wrench());
  for (int i = 0; i < now.model.size(); ++i) bodies[now.model.body[i]] = kinematics_of(i, now.work);
  law.function(now.t, bodies, wrenches);
  if (wrenches.size() != bodies.size())
    throw std::runtime_error("the function changed the number of wrenches");
}

class UserForceKind final : public ForceKind<UserForce> {
 public:
  void check(const UserForce& law, ForceCheck& at) const override {
    at.require(bool(law.function), "no function is given");
  }

  void add_loads(const UserForce& law, const ForceInstant& now, Loads<double>& loads) const override {
    call(law, now);
    for (int i = 0; i < now.model.size(); ++i) {
      loads.force[i] += now.user.wrenches[now.model.body[i]].force;
      loads.torque[i] += now.user.wrenches[now.model.body[i]].torque;
    }
  }

  double power(const UserForce& law, const ForceInstant& now) const override {
    call(law, now);
    double sum = 0;
    for (std::size_t i = 0; i < now.user.bodies.size(); ++i) {
      const BodyKinematics& body = now.user.bodies[i];
      sum += now.user.wrenches[i].force.dot(body.v_W) + now.user.wrenches[i].torque.dot(body.omega_W);
    }
    return sum;
  }

  bool conserves_energy(const UserForce&) const override { return false; }
  bool depends_on_velocity(const UserForce&) const override { return true; }
  // `functions` stays empty: the library cannot know whether the user's function depends on time, and treats
  // it as independent of time.

  std::vector<int> loaded_bodies(const UserForce&, const Mechanism& mechanism) const override {
    return all_bodies(mechanism);
  }
};

}  // namespace

const ForceKind<UserForce>& UserForce::kind() {
  static constexpr UserForceKind kind;
  return kind;
}

}  // namespace torsor
