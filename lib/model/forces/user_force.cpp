#include "force_laws.hpp"

// A user's function.

namespace torsor {
namespace {

void call(const UserForce& law, const ForceInstant& now) {
  auto& [bodies, wrenches] = now.user;
  bodies.resize(now.model.size());
  wrenches.assign(now.model.size(), Wrench());
  for (int i = 0; i < now.model.size(); ++i) {
    BodyKinematics& body = bodies[now.model.body[i]];
    body.X_WB = {SO3<>::from_matrix(now.work.R_WB[i]), now.work.p_WB[i]};
    body.v_W = now.work.v_WB[i];
    body.omega_W = now.work.w_WB[i];
  }
  law.function(now.t, bodies, wrenches);
}

}  // namespace

void check(const UserForce& law, ForceCheck& at) { at.require(bool(law.function), "no function is given"); }

void add_wrenches(const UserForce& law, const ForceInstant& now, Loads<double>& loads) {
  call(law, now);
  for (int i = 0; i < now.model.size(); ++i) {
    loads.force[i] += now.user.wrenches[now.model.body[i]].force;
    loads.torque[i] += now.user.wrenches[now.model.body[i]].torque;
  }
}

double power(const UserForce& law, const ForceInstant& now) {
  call(law, now);
  double sum = 0;
  for (std::size_t i = 0; i < now.user.bodies.size(); ++i) {
    const BodyKinematics& body = now.user.bodies[i];
    sum += now.user.wrenches[i].force.dot(body.v_W) + now.user.wrenches[i].torque.dot(body.omega_W);
  }
  return sum;
}

}  // namespace torsor
