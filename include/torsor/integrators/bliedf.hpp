#pragma once

#include <array>

#include "torsor/integrators/detail/constrained_newton.hpp"
#include "torsor/integrators/detail/newton.hpp"
#include "torsor/integrators/detail/turn_check.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/integrators/treatment.hpp"

namespace torsor {

/// Multistep method: backward differentiation formulas of k = 1, 2 or 3 steps on a group. The step is
/// q' = q exp(h d'); d and d_-1 are the increments of the last steps divided by h, so they are velocities.
///
///   k = 1   d' = v',
///           (v' - v) / h = a(t + h, q', v')
///   k = 2   d' = (2 v' + d) / 3,
///           (3 v' - 4 v + v_-1) / (2 h) = a(t + h, q', v')
///   k = 3   d' = (6 (v' + h^2/12 [v, a]) + 7 d - 2 d_-1) / 11,
///           (11 v' - 18 v + 9 v_-1 - 2 v_-2) / (6 h) = a(t + h, q', v')
///
/// The bracket is that of v and a at the start of the step. It is needed because an increment is not a mean
/// velocity: the Magnus expansion gives h d = h v_mean + h^3/12 [v, a] + O(h^4), with v and a at the middle
/// of the step. Without the bracket the order would be 2.
///
/// Under constraints, G a = f + A^T lambda with one of
///
///   index-2   A v' + a0 = 0; then q' and v' are projected along the metric
///   index-3   phi(q', t + h) = 0; State::v is the projection of the method's own velocity. In a very short
///             step index 2 takes its place (ConstrainedNewton::form_of_step)
///
/// Order k in positions, velocities and multipliers. Motions with time constants much shorter than h are
/// damped out within one step. The step size is constant: each new step size restarts the method from k - 1
/// points before the start, computed with rkmk4 (index-3: k more points, for the method's own velocity). If
/// rkmk4 is not reliable there, the next steps have the orders 1, 2, ..., k instead. One Newton solve of size
/// nv + rows per step. Wieloch, Arnold, J. Comput. Appl. Math. 387 (2021) 112511.
class Bliedf final : public Stepper {
 public:
  /// k = 1, 2 or 3 steps; `form`: index_2 or index_3.
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
  bool go_back(const System& system, const State& x, double t, double h, int points);
  void add_normal(const System& system, int point, double t, double h, Vec& v);
  void advance(const System& system, const State& x, double h, const Vec& a);
  void add_history(const System& system, double h);
  void add_bracket(const System& system, double h, const Vec& v, const Vec& a, double weight, Vec& sum);
  bool solve(const System& system, const State& x, double t, double h);
  void meet_constraints(double t);

  int k_;
  Treatment form_, step_form_ = form_;  ///< step_form_: that of the current step
  int steps_ = 1;                       ///< order of the formula of the current step
  int kind_;                            ///< memory::Kind that the method stores in State::memory
  const ConstrainedSystem* constrained_ = nullptr;
  std::unique_ptr<Stepper> free_starter_, constrained_starter_;
  Newton newton_;
  ConstrainedNewton constrained_newton_;
  TurnCheck turn_;
  State next_;
  std::array<State, 6> past_;
  std::array<Vec, 5> d_;  ///< increments of the last steps, the newest first
  std::array<Vec, 3> v_;  ///< velocities of the last points
  Vec v_history_, d_history_, a_, a_next_, d_next_, own_v_, xi_, bracket_, lambda_, rows_, normal_rows_;
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
