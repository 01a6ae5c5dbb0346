#pragma once

#include "some_forces.hpp"
#include "torsor/model/constraints.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::test {

/// The rows of a mechanism, with everything that their evaluation needs.
struct Rows {
  explicit Rows(const Mechanism& mechanism, Formulation formulation = Formulation::absolute)
      : model(mechanism, formulation), constraints(model), work(model) {}

  void evaluate(double t, const State& x) {
    forward_kinematics(model, x.q, x.v, work);
    constraints.evaluate(t, x.q, x.v, work, values);
  }
  Vec phi() const { return Eigen::Map<const Vec>(values.phi.data(), constraints.size()); }
  Vec a0() const { return Eigen::Map<const Vec>(values.a0.data(), constraints.size()); }
  Vec gamma() const { return Eigen::Map<const Vec>(values.gamma.data(), constraints.size()); }

  Vector<double, 6> block(const Constraints::Item& item, int which, int row) const {
    const int at = constraints.block_offset()[item.block_begin + which] + 6 * row;
    return Eigen::Map<const Vector<double, 6>>(&values.blocks[at]);
  }
  /// J times the linear and angular vectors of all links.
  Vec times(const std::vector<Vec3>& lin, const std::vector<Vec3>& ang) const {
    Vec out = Vec::Zero(constraints.size());
    for (const auto& item : constraints.items())
      for (int row = 0; row < item.rows; ++row)
        for (std::size_t k = 0; k < item.links.size(); ++k) {
          const Vector<double, 6> J = block(item, static_cast<int>(k), row);
          const int link = item.links[k];
          out[item.row_begin + row] += J.head<3>().dot(lin[link]) + J.tail<3>().dot(ang[link]);
        }
    return out;
  }
  Vec velocity() const { return times(work.v_WB, work.w_WB) + a0(); }  ///< J V + a0
  Vec acceleration(const State& x, const Vec& a) {                     ///< J V' + gamma
    body_accelerations(model, x.v, a, work);
    return times(work.vdot_WB, work.wdot_WB) + gamma();
  }

  Model model;
  Constraints constraints;
  Workspace<double> work;
  ConstraintValues values;
};

/// The state at s on the motion q exp(s v + s^2 a / 2), which has velocity v and acceleration a at s = 0.
inline State along(const Model& model, const State& x, const Vec& a, double s) {
  State y = x;
  const Vec xi = s * x.v + s * s / 2 * a, rate = x.v + s * a;
  retract(model, x.q.data(), xi.data(), y.q.data());
  dexp(model, xi.data(), rate.data(), y.v.data());
  return y;
}

/// f'(0) by central differences of order 6.
template <class F>
Vec derivative(const F& f, double h = 2e-3) {
  const auto pair = [&](int k) { return Vec(f(k * h) - f(-k * h)); };
  return (45 * pair(1) - 9 * pair(2) + pair(3)) / (60 * h);
}

/// A user's rows on two bodies: the difference of the vertical velocities of their mass centres, and the
/// angular velocity of the first body about its z axis.
inline UserConstraint user_rows() {
  UserConstraint user{{0, 1}, 2, false, {}};
  user.function = [](double t, const std::vector<BodyKinematics>& bodies, UserRows& out) {
    const Vec3 z = bodies[0].X_WB.R * Vec3::UnitZ();
    out.rows[0] << 0, 0, 1, 0, 0, 0;
    out.rows[1] << 0, 0, -1, 0, 0, 0;
    out.rows[2] << 0, 0, 0, z;
    out.offset = {std::sin(t), -t};
    out.rate = {std::cos(t), -1};
  };
  return user;
}

/// Four bodies, each in the direct or the semi-direct product at random, and a particle, without joints.
inline Mechanism loose_bodies(Random& random) {
  Mechanism mechanism;
  for (int i = 0; i < 4; ++i) mechanism.bodies.push_back(random_body(random, i));
  mechanism.bodies.push_back({"particle", 1.3, Mat3::Zero(), GroupProduct::direct, true});
  return mechanism;
}
inline constexpr int particle = 4;

inline Joint joint_between(Random& random, JointKind kind, int parent, int child) {
  Joint joint{"joint", kind, parent, child, random.frame(), random.frame(), 0};
  joint.pitch = kind == JointKind::helical ? 0.7 : 0;
  return joint;
}

inline MovingPlane moving_plane(Random& random) {
  return {wave3(random), random.vector(), random.vector(), wave(0.3, 1.2)};
}

/// Every kind of constraint on loose bodies with joints 0 (revolute), 1 (cylindrical), 2 (universal), 3
/// (planar), 4 (helical). Most constraints depend on time.
inline std::vector<Constraint> changing_constraints(Random& random) {
  const auto point = [&](int body) { return MovingPoint{body, wave3(random)}; };
  const MovingPoint at_particle{particle, {0., 0., 0.}};
  const JointCoupling coupling{{{0, 0, 0.7},
                                {1, 0, -1.3},
                                {1, 1, 0.4},
                                {2, 0, 1.1},
                                {2, 1, 0.6},
                                {3, 0, 0.3},
                                {3, 1, -0.8},
                                {3, 2, 0.9},
                                {4, 0, -0.5}},
                               wave(0.2, 0.4)};
  using Quantity = VelocityLaw::Term::Quantity;
  VelocityLaw law{{}, wave(0.3, 0.5)};
  for (const bool body_axes : {true, false})
    for (const auto quantity : {Quantity::point_velocity, Quantity::angular_velocity})
      law.terms.push_back({quantity, {1, random.vector()}, random.vector(), body_axes, 0, 0, 1});
  for (const auto& [joint, coordinate, ratio] : coupling.terms)
    law.terms.push_back({Quantity::joint_rate, {}, Vec3::Zero(), true, joint, coordinate, ratio});
  const auto rolling = [&](const auto& shape, bool upright) {
    return Rolling{2, random.vector(), shape, moving_plane(random), upright};
  };
  return {
      {"distance", Distance{point(0), point(1), wave(1.5, 0.4)}},
      {"rod", Distance{point(world), at_particle, 2.}},
      {"line", PointOnLine{point(0), point(1), random.vector()}},
      {"line on a particle", PointOnLine{point(2), at_particle, random.vector()}},
      {"plane", PointOnPlane{point(1), point(2), random.vector(), wave(0.3, 0.2)}},
      {"driver", PointDriver{point(3), point(0), {true, false, true}}},
      {"support", PointDriver{at_particle, point(world), {true, true, true}}},
      {"angle", ConstantAngle{1, 3, random.vector(), random.vector(), wave(1.2, 0.3)}},
      {"constant velocity", ConstantVelocityJoint{0, 2, random.frame(), random.frame()}},
      {"coupling", coupling},
      {"velocities", law},
      {"sphere", rolling(RollingSphere{0.6}, false)},
      {"disk", rolling(RollingDisk{random.vector(), 0.6, 0.}, false)},
      {"upright torus", rolling(RollingDisk{random.vector(), 0.6, 0.1}, true)},
      {"ellipsoid", rolling(RollingEllipsoid{Vec3(0.4, 0.7, 0.5)}, false)},
      {"user", user_rows()},
  };
}

/// Loose bodies with the joints that the coupling above uses, and with the constraints above.
inline Mechanism constrained_bodies(Random& random) {
  Mechanism mechanism = loose_bodies(random);
  int parent = world, child = 0;
  for (const JointKind kind : {JointKind::revolute, JointKind::cylindrical, JointKind::universal,
                               JointKind::planar, JointKind::helical}) {
    mechanism.joints.push_back(joint_between(random, kind, parent, child));
    mechanism.joints.back().name += std::to_string(mechanism.joints.size());
    parent = child, child = (child + 1) % 4;
  }
  mechanism.constraints = changing_constraints(random);
  return mechanism;
}

}  // namespace torsor::test
