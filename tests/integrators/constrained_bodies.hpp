#pragma once

#include <vector>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/euler_poincare.hpp"

namespace torsor::test {

/// Position and velocity of a rigid body: velocity of the mass centre in world axes, angular velocity in
/// body axes.
struct BodyMotion {
  Vec3 x;
  Mat3 R;
  Vec3 x_dot, omega;
};

/// A row on bodies: sum over bodies of linear . x_dot + angular . omega + offset = 0. `rate` is the part of
/// its derivative without accelerations; phi is its integral if the row is holonomic.
struct Row {
  std::vector<Vec3> linear, angular;
  double offset = 0, phi = 0, rate = 0;
};

/// Rigid bodies on R^3 x SO(3) or SE(3) each, under constraint rows that a derived class gives as `Row`. The
/// class uses all dense defaults of ConstrainedSystem.
class ConstrainedBodies : public ConstrainedSystem, public EulerPoincare {
 public:
  enum class Group { direct, semidirect };

  ConstrainedBodies(Group group, std::vector<double> masses, std::vector<Vec3> inertias,
                    std::vector<char> holonomic);

  int nq() const override { return 7 * bodies(); }
  int nv() const override { return 6 * bodies(); }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override;
  void local_difference(VecIn q, VecIn p, VecOut xi) const override;
  void dexp(VecIn xi, VecIn w, VecOut out) const override;
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override;

  const std::vector<char>& holonomic() const override { return holonomic_; }
  void force(double t, VecIn q, VecIn v, VecOut f) const override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override;
  void constraint_times(double t, VecIn q, VecIn w, VecOut out) const override;
  void reaction(double t, VecIn q, VecIn lambda, VecOut out) const override;
  void position_residual(double t, VecIn q, VecOut phi) const override;
  void velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const override;
  void constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const override;

  /// For the symplectic method: the metric is constant in body axes.
  const EulerPoincare* euler_poincare() const override { return this; }
  void momentum(VecIn v, VecOut p) const override;
  void momentum_inverse(VecIn p, VecOut v) const override;
  void position_force(double t, VecIn q, VecOut f) const override;
  void ad_transpose(VecIn v, VecIn p, VecOut out) const override;
  void dexp_inv_transpose(VecIn xi, VecIn p, VecOut out) const override;

  State state(const std::vector<BodyMotion>& motion) const;
  BodyMotion motion(VecIn q, VecIn v, int body) const;
  double kinetic_energy(const State& x) const;
  /// Repeats the rows the given number of times, so that they are redundant.
  void repeat_rows(int copies);

 protected:
  /// Force in world axes at the mass centre and torque in body axes; gravity along -z by default.
  virtual void load(double t, const BodyMotion& body, int index, Vec3& force, Vec3& torque) const;
  virtual void row(double t, const std::vector<BodyMotion>& bodies, int index, Row& out) const = 0;

  int bodies() const { return int(masses_.size()); }
  double mass(int body) const { return masses_[std::size_t(body)]; }

 private:
  bool direct() const { return group_ == Group::direct; }
  void read(VecIn q, VecIn v) const;
  const Row& row_at(double t, int index) const;

  Group group_;
  std::vector<double> masses_;
  std::vector<Vec3> inertias_;
  std::vector<char> holonomic_;
  int copies_ = 1;
  mutable std::vector<BodyMotion> motion_;
  mutable Row row_;
  mutable Vec at_rest_;
};

/// The heavy top of Bruls and Cardona: a ball joint holds the body point (0, -1, 0) at the point s(t) =
/// amplitude sin(8 t) ex.
class Top final : public ConstrainedBodies {
 public:
  explicit Top(Group group, double amplitude = 0);
  State start(double spin = 150) const;
  double energy(const State& x) const;

 private:
  void row(double t, const std::vector<BodyMotion>& bodies, int index, Row& out) const override;
  double amplitude_;
};

/// A chain of two bodies; ball joints hold the first at the origin and the second at the first.
class Chain final : public ConstrainedBodies {
 public:
  explicit Chain(Group group);
  State start() const;
  double energy(const State& x) const;

 private:
  void row(double t, const std::vector<BodyMotion>& bodies, int index, Row& out) const override;
};

/// A ball with unequal moments of inertia that rolls on a tilted table, which turns at the rate 1 +
/// sin(t)/2 rad/s: one holonomic row and two rows that are neither holonomic nor homogeneous.
class RollingBall final : public ConstrainedBodies {
 public:
  explicit RollingBall(Group group);
  State start() const;

 private:
  void load(double t, const BodyMotion& body, int index, Vec3& force, Vec3& torque) const override;
  void row(double t, const std::vector<BodyMotion>& bodies, int index, Row& out) const override;
};

}  // namespace torsor::test
