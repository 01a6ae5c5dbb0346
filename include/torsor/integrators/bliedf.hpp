#pragma once

#include <array>

#include "torsor/integrators/constrained_newton.hpp"
#include "torsor/integrators/newton.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/integrators/treatment.hpp"
#include "torsor/integrators/turn_check.hpp"

namespace torsor {

/// The backward differentiation formulas of k = 1 or 2 steps on a group, in the increments d of the last
/// steps. For k = 2
///
///   q' = q exp(h d'),   d' = (2 v' + d) / 3,   (3 v' - 4 v + v_-1) / (2 h) = a(t + h, q', v'),
///
/// for k = 1  d' = v',  (v' - v)/h = a. Under constraints G a = f + A^T lambda with the constraints by index
/// 2 (A v' + a0 = 0, then q' and v' projected along the metric) or by index 3 (phi(q', t + h) = 0; State::v
/// is the projection of the method's own velocity). Order k in positions, velocities and multipliers; motions
/// much faster than the step die within one. Steps of one size; each new size starts again, from k - 1 points
/// before the start along rkmk4 (for index 3 two more, for the velocity that the method keeps to itself). One
/// solve of size nv + rows a step. Wieloch, Arnold, J. Comput. Appl. Math. 387 (2021) 112511.
class Bliedf final : public Stepper {
 public:
  explicit Bliedf(int k, Treatment form = Treatment::index_2);

  int order() const override { return k_; }
  long evaluations() const override { return evaluations_; }
  std::string message() const override { return message_; }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;
  bool multipliers(const State& x, VecOut lambda) const override;

 private:
  StepStatus step(const System& system, State& x, double t, double h);
  void resize(const System& system);
  void begin(const System& system, const State& x, double t, double h);
  void start(const System& system, const State& x, double t, double h);
  void add_normal(int point, double t, Vec& v);
  void advance(const System& system, const State& x, double h, const Vec& a);
  bool solve(const System& system, const State& x, double t, double h);
  void meet_constraints(double t);

  int k_;
  Treatment form_;
  int kind_;  ///< of what it leaves in State::memory
  const ConstrainedSystem* constrained_ = nullptr;
  std::unique_ptr<Stepper> free_starter_, constrained_starter_;
  Newton newton_;
  ConstrainedNewton constrained_newton_;
  TurnCheck turn_;
  State next_;
  std::array<State, 4> past_;
  std::array<Vec, 3> d_;
  Vec v_, v_before_, a_, a_next_, d_next_, own_v_, xi_, lambda_, rows_, normal_rows_;
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
