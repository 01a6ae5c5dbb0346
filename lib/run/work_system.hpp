#pragma once

#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {

/// The state of a system with its work, at W = 0.
State with_no_work(const State& motion);
/// The state of the motion, and the work in J, from a state of a system with its work.
void split_work(const State& x, State& motion, double& work);

/// A system with the work of its non-conservative forces as a quadrature: one more component W of v, J, with
/// W' = P(t, q, v). So the method integrates the work to the order of the motion. `Base` is System or
/// ConstrainedSystem.
template <class Base>
class WithWork : public Base, VelocityMap {
 public:
  WithWork(const Base& motion, const Powered& powered)
      : motion_(motion), powered_(powered), nv_(motion.nv()) {}

  int nq() const override { return motion_.nq(); }
  int nv() const override { return nv_ + 1; }
  int quadratures() const override { return 1; }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override;
  void local_difference(VecIn q, VecIn p, VecOut xi) const override;
  void dexp(VecIn xi, VecIn w, VecOut out) const override;
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override;
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  const VelocityMap* velocity_map() const override { return motion_.velocity_map() ? this : nullptr; }
  double error_norm(const State& x, VecIn xi, VecIn dv) const override;

 protected:
  const Base& motion_;
  const Powered& powered_;
  const int nv_;

 private:
  void velocity(double t, VecIn q, VecIn v, VecOut out) const override;

  mutable State x_;
};

/// The tangent of a system with its work. W does not act on the motion, so the identity is enough for its own
/// row.
class WorkTangent final : public Tangent {
 public:
  /// `rows`: nullptr if there are no constraint rows.
  WorkTangent(const System& motion, const PoweredRows* rows) : motion_(motion), rows_(rows) {}

  void factor(const Linearisation& at) override;
  void solve(VecIn r, VecIn s, VecOut da, VecOut dl) override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override;

 private:
  const System& motion_;
  const PoweredRows* const rows_;
  State x_;
  Vec a0_, a_, lambda_, xi_;
};

/// A system without constraints, with its work.
class FreeWork final : public WithWork<System> {
 public:
  FreeWork(const System& motion, const Powered& powered)
      : WithWork(motion, powered), tangent_(motion, nullptr) {}
  Tangent* tangent() const override { return motion_.tangent() ? &tangent_ : nullptr; }

 private:
  mutable WorkTangent tangent_;
};

/// A system under constraints, with its work. Moving constraints supply the power -lambda a0: a row -a0^T of
/// A^T for W. A itself has no column for W.
class ConstrainedWork final : public WithWork<ConstrainedSystem> {
 public:
  ConstrainedWork(const ConstrainedSystem& motion, const PoweredRows& powered)
      : WithWork(motion, powered), powered_rows_(powered), a0_(motion.rows()), tangent_(motion, &powered) {}

  StepChoices& choices() const override { return motion_.choices(); }
  const Conditioning& conditioning() const override { return motion_.conditioning(); }
  Tangent* tangent() const override { return motion_.tangent() ? &tangent_ : nullptr; }

  const std::vector<char>& holonomic() const override { return motion_.holonomic(); }
  void force(double t, VecIn q, VecIn v, VecOut f) const override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override;
  bool mass_of_velocity() const override { return motion_.mass_of_velocity(); }
  void mass_times(double t, VecIn q, VecIn v, VecIn w, VecOut out) const override;
  void constraint_times(double t, VecIn q, VecIn w, VecOut out) const override;
  void reaction(double t, VecIn q, VecIn lambda, VecOut out) const override;
  void position_residual(double t, VecIn q, VecOut phi) const override;
  void velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const override;
  void constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const override;
  void imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const override;

  using WithWork::acceleration;
  void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const override;
  using ConstrainedSystem::solve;
  void solve(Factors, double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const override;
  void solve_with_mass(Factors, double t, VecIn q, VecIn v, VecIn r, VecIn s, VecOut x,
                       VecOut y) const override;
  bool project_position(double t, VecOut q) const override;
  void project_velocity(double t, VecIn q, VecOut v) const override;

 private:
  double row_power(double t, VecIn q, VecIn lambda) const;

  const PoweredRows& powered_rows_;
  mutable Vec a0_;
  mutable WorkTangent tangent_;
};

}  // namespace torsor::mechanics
