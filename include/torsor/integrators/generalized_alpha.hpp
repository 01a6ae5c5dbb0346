#pragma once

#include "torsor/integrators/detail/constrained_newton.hpp"
#include "torsor/integrators/detail/newton.hpp"
#include "torsor/integrators/detail/turn_check.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/integrators/treatment.hpp"

namespace torsor {

/// Generalized-alpha on a group. With the algorithmic acceleration b and the true one a:
///
///   q' = q exp(h v + h^2 ((1/2 - beta) b + beta b')),      v' = v + h ((1 - gamma) b + gamma b'),
///   (1 - alpha_m) b' + alpha_m b = (1 - alpha_f) a' + alpha_f a,
///
/// where a' = a(t + h, q', v'), or under constraints G a' = f + A^T lambda' with one of
///
///   index-3              phi(q', t + h) = 0; State::v is the projection of v'
///   index-2              A v' + a0 = 0; then q' and v' are projected along the metric
///   stabilised-index-2   A v' + a0 = 0 and phi(q', t + h) = 0, q' = q exp(...) exp(G^-1 A^T mu)
///
/// Order 2 in positions, velocities and multipliers. Motions with periods much shorter than h are damped by
/// the factor rho in each step. The step size may change: b approximates a(t + (alpha_m - alpha_f) h), and it
/// is extrapolated along its tangent to the time of the new h. The first b is extrapolated from a in the same
/// way, with the rate of a in the first step. For index 3 the first velocity gets the component normal to the
/// constraints that the method maintains,
///
///   h^2 P_perp ((1/6 - (alpha_m - alpha_f)/2 - beta) da/dt + ad_v a / 12).
///
/// These starting values give order 2 from the first step. State::v does not contain the normal component. In
/// a very short step, such as one to an output, index 2 takes the place of index 3
/// (ConstrainedNewton::form_of_step). One solve of size nv + rows a step. Bruls, Cardona, Arnold, Mech. Mach.
/// Theory 48 (2012) 121-137; Arnold, Bruls, Cardona, Numer. Math. 129 (2015) 149-179; Chung, Hulbert, J.
/// Appl. Mech. 60 (1993) 371-375.
class GeneralizedAlpha final : public Stepper {
 public:
  struct Parameters {
    double alpha_m, alpha_f, beta, gamma;

    /// rho in [0, 1], the spectral radius at infinite frequency:
    ///   alpha_m = (2 rho - 1)/(rho + 1),  alpha_f = rho/(rho + 1),  gamma = 1/2 + alpha_f - alpha_m,
    ///   beta = (gamma + 1/2)^2 / 4.
    static Parameters with_radius(double rho);
    /// The violated condition, or nothing. Order 2 needs gamma = 1/2 + alpha_f - alpha_m. Stability needs
    /// alpha_m <= alpha_f <= 1/2 and beta >= 1/4 + (alpha_f - alpha_m)/2.
    std::optional<std::string> why_invalid() const;
  };

  explicit GeneralizedAlpha(double rho = 0.9, Treatment form = Treatment::index_2);
  explicit GeneralizedAlpha(const Parameters& parameters, Treatment form = Treatment::index_2);

  int order() const override { return 2; }
  long evaluations() const override { return evaluations_; }
  std::string message() const override { return message_; }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;
  bool multipliers(const State& x, VecOut lambda) const override;

 private:
  StepStatus step(const System& system, State& x, double t, double h);
  StepStatus step(const ConstrainedSystem& system, State& x, double t, double h);
  void resize(const System& system, int rows);
  bool recall(const State& x, double t, double h, int vectors);
  void begin(const System& system, const State& x, double t, double h);
  void begin(const ConstrainedSystem& system, const State& x, double t, double h);
  void start_shifted(const System& system, const State& x, double t, double h);
  void start_normal(const ConstrainedSystem& system, const State& x, double t, double h);
  void advance(const System& system, const State& x, double h, const Vec& a);
  void meet_constraints(const ConstrainedSystem& system, double t);
  double shift() const { return p_.alpha_m - p_.alpha_f; }

  Parameters p_;
  Treatment form_, step_form_ = form_;  ///< step_form_: that of the current step
  Newton newton_;
  ConstrainedNewton constrained_newton_;
  TurnCheck turn_;
  State next_;
  Vec a_last_, a_before_, lambda_last_, lambda_before_;
  Vec a_, b_, normal_, lambda_, v_, a_next_, b_next_, trial_, trial_lambda_, rate_, xi_, zero_, rows_;
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
