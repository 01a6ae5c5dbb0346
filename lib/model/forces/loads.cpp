#include "force_laws.hpp"

namespace torsor {
namespace {

/// A wrench at the mass centre of a link, world axes.
struct LinkWrench {
  int link;
  Vec3 force, torque;
};

LinkWrench load(const BodyForce& law, const ForceInstant& now) {
  const int link = now.model.link_of_body[law.point.body];
  const Mat3& R = now.work.R_WB[link];
  Vec3 force = value(law.force, now.t), torque = value(law.torque, now.t);
  if (law.body_axes) force = R * force, torque = R * torque;
  const Vec3 arm = R * law.point.p;
  return {link, force, torque + arm.cross(force)};
}

/// The point where a field acts: position, velocity, and the arm from the mass centre; world axes.
struct FieldPoint {
  int link;
  Vec3 x, v, arm;
};

FieldPoint place(const LinearField& law, const ForceInstant& now) {
  const int link = now.model.link_of_body[law.body];
  const Vec3 arm = now.work.R_WB[link] * law.p;
  return {link, now.work.p_WB[link] + arm, now.work.v_WB[link] + now.work.w_WB[link].cross(arm), arm};
}

Mat3 symmetric(const Mat3& K) { return (K + K.transpose()) / 2; }

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

void add_wrenches(const BodyForce& law, const ForceInstant& now, Loads<double>& loads) {
  const LinkWrench wrench = load(law, now);
  loads.force[wrench.link] += wrench.force;
  loads.torque[wrench.link] += wrench.torque;
}

double power(const BodyForce& law, const ForceInstant& now) {
  const LinkWrench wrench = load(law, now);
  return wrench.force.dot(now.work.v_WB[wrench.link]) + wrench.torque.dot(now.work.w_WB[wrench.link]);
}

bool conserves_energy(const BodyForce& law) { return is_zero(law.force) && is_zero(law.torque); }

void add_wrenches(const LinearField& law, const ForceInstant& now, Loads<double>& loads) {
  const auto [link, x, v, arm] = place(law, now);
  const Vec3 d = x - value(law.x0, now.t);
  const Vec3 force = law.charge(now.t) * v.cross(value(law.B, now.t)) - law.K * d - law.C * v;
  loads.force[link] += force;
  loads.torque[link] += arm.cross(force);
}

/// Only the symmetric part of K has a potential. The skew part is circulatory, and `power` includes its work.
double potential(const LinearField& law, const ForceInstant& now) {
  const Vec3 d = place(law, now).x - value(law.x0, now.t);
  return d.dot(law.K * d) / 2;
}

double power(const LinearField& law, const ForceInstant& now) {
  const auto [link, x, v, arm] = place(law, now);
  const Vec3 d = x - value(law.x0, now.t);
  const Mat3 K = symmetric(law.K);
  const double moved = is_constant(law.x0) ? 0 : -rate(law.x0, now.t).dot(K * d);
  return moved - v.dot(law.C * v + (law.K - K) * d);
}

bool conserves_energy(const LinearField& law) {
  return is_constant(law.x0) && symmetric(law.C).isZero(0) && law.K == symmetric(law.K);
}

bool depends_on_velocity(const LinearField& law) {
  return !law.C.isZero(0) || !(is_zero(law.charge) || is_zero(law.B));
}

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
