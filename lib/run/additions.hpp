#pragma once

#include "dense.hpp"
#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {

/// The start of a system with additions: the configuration, velocity and own states of `start`, and W = 0.
State with_additions(const System& system, const State& start);
/// Removes the work, the last component of v, and returns it.
double take_work(State& x);

/// A system with additions to its velocity v: the own states z of the system, which the motion may depend on,
/// and the work W of its non-conservative forces, in J, as a quadrature: W' = P(t, q, v). So the method
/// integrates both to the order of the motion. `Base` is System or ConstrainedSystem.
template <class Base>
class WithAdditions : public Base, VelocityMap {
 public:
  /// `powered`: nullptr for a system that conserves energy; there is no W then.
  WithAdditions(const Base& motion, const Powered* powered)
      : motion_(motion),
        powered_(powered),
        states_(motion.own_states()),
        nv_(motion.nv()),
        count_(states_ ? states_->count() : 0) {}

  int nq() const override { return motion_.nq(); }
  int nv() const override { return nv_ + count_ + quadratures(); }
  int quadratures() const override { return powered_ ? 1 : 0; }
  int additions() const override { return count_ + quadratures(); }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override;
  void local_difference(VecIn q, VecIn p, VecOut xi) const override;
  void dexp(VecIn xi, VecIn w, VecOut out) const override;
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override;
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  const VelocityMap* velocity_map() const override { return motion_.velocity_map() ? this : nullptr; }
  const Switching* switching() const override { return motion_.switching(); }
  const CountedAngles* counted_angles() const override { return motion_.counted_angles(); }
  /// An own state counts as a rate: |dz| / (1 + |z|).
  double error_norm(const State& x, VecIn xi, VecIn dv) const override;

 protected:
  /// The part of v behind the velocities of the motion.
  template <class V>
  auto behind_motion(V&& v) const {
    return v.tail(v.size() - nv_);
  }
  /// Sets z of the motion from v.
  void set_states(VecIn v) const {
    if (states_) states_->set(v.segment(nv_, count_));
  }
  /// Sets the rates of the own states in a.
  void set_rates(double t, VecIn q, VecIn v, VecOut a) const {
    if (states_) states_->rates(t, q, v.head(nv_), a.segment(nv_, count_));
  }

  const Base& motion_;
  const Powered* const powered_;
  const OwnStates* const states_;
  const int nv_, count_;

 private:
  void velocity(double t, VecIn q, VecIn v, VecOut out) const override;
  bool keeps_acceleration() const override { return motion_.velocity_map()->keeps_acceleration(); }

  mutable State x_;
};

/// The tangent of a system with additions. W does not act on the motion, so the identity is enough for its
/// own row. The rows and columns of z border the tangent J of the motion:
///
///   [ J  B ]
///   [ C  D ]
///
/// The unknowns follow from the Schur complement D - C J^-1 B, which needs one solution with J for each own
/// state. B, C and D are difference quotients.
class TangentWithAdditions final : public Tangent {
 public:
  /// `rows`: nullptr if there are no constraint rows, or no W.
  TangentWithAdditions(const System& motion, const PoweredRows* rows);

  void factor(const Linearisation& at) override;
  void solve(VecIn r, VecIn s, VecOut da, VecOut dl) override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override;

 private:
  void residual(const Vec& v, Vec& r) const;
  void border();
  Vec rates(VecIn q, const Vec& v) const;
  Vec rates_along(const Vec& da) const;

  const System& motion_;
  const ConstrainedSystem* const constrained_;  ///< the motion, if it has constraint rows
  const PoweredRows* const rows_;
  const OwnStates* const states_;
  const int nv_, count_;

  // The point at which the tangent is taken.
  double t_ = 0, c_v_ = 0, c_q_ = 0, row_scale_ = 1;
  State x_;  ///< of the motion
  Vec z_, a0_, a_, lambda_, xi_, rates_, rest_;
  linear::Mat motion_of_z_, multipliers_of_z_;  ///< J^-1 B: its rows of velocities, and of multipliers
  linear::Mat schur_;                           ///< D - C J^-1 B
};

/// A system without constraints, with additions.
class FreeWithAdditions final : public WithAdditions<System> {
 public:
  FreeWithAdditions(const System& motion, const Powered* powered)
      : WithAdditions(motion, powered), tangent_(motion, nullptr) {}
  Tangent* tangent() const override { return motion_.tangent() ? &tangent_ : nullptr; }

 private:
  mutable TangentWithAdditions tangent_;
};

/// A system under constraints, with additions. Moving constraints supply the power -lambda a0: a row -a0^T of
/// A^T for W. A itself has no column for W.
class ConstrainedWithAdditions final : public WithAdditions<ConstrainedSystem> {
 public:
  ConstrainedWithAdditions(const ConstrainedSystem& motion, const PoweredRows* powered)
      : WithAdditions(motion, powered),
        powered_rows_(powered),
        a0_(motion.rows()),
        tangent_(motion, powered) {}

  StepChoices& choices() const override { return motion_.choices(); }
  const Conditioning& conditioning() const override { return motion_.conditioning(); }
  Tangent* tangent() const override { return motion_.tangent() ? &tangent_ : nullptr; }

  const std::vector<char>& holonomic() const override { return motion_.holonomic(); }
  std::vector<std::string> row_names() const override { return motion_.row_names(); }
  Part part_of_row(int row) const override { return motion_.part_of_row(row); }
  bool positions_move() const override { return motion_.positions_move(); }
  std::optional<Treatment> treatment() const override { return motion_.treatment(); }
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

  using WithAdditions::acceleration;
  void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const override;
  using ConstrainedSystem::solve;
  void solve(Factors, double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const override;
  void solve_with_mass(Factors, double t, VecIn q, VecIn v, VecIn r, VecIn s, VecOut x,
                       VecOut y) const override;
  bool project_position(double t, VecOut q) const override;
  void project_velocity(double t, VecIn q, VecOut v) const override;

 private:
  double row_power(double t, VecIn q, VecIn lambda) const;
  void add_row_power(double t, VecIn q, VecIn lambda, VecOut out) const;
  void set_load_rates(double t, VecIn q, VecIn v, VecOut out) const;

  const PoweredRows* const powered_rows_;
  mutable Vec a0_, rest_;
  mutable TangentWithAdditions tangent_;
};

}  // namespace torsor::mechanics
