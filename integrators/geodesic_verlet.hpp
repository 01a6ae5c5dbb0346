#pragma once

#include "torsor/integrators/geodesic_flow.hpp"

namespace torsor {

/// Stormer-Verlet along geodesics, for a constant left-invariant metric G and forces f(t, q): an autoparallel
/// of the generalized Christoffel connection between two half steps of the forces (kicks),
///
///   v+ = v + h/2 G^-1 f(t, q)
///   (q', v-) = the geodesic of G from (q, v+) after the time h
///   v' = v- + h/2 G^-1 f(t + h, q').
///
/// In place of the geodesic, lie-verlet has an autoparallel of the canonical connection, q exp(h w), and
/// finds w from the momentum. In geodesic-verlet, the motion without forces is exact to rounding. The method
/// splits the energy into its kinetic and its potential part: order 2, time-symmetric, symplectic for
/// f = -dV, and a free body keeps its spatial momentum. One force evaluation a step; the integration of the
/// geodesic needs none.
/// McLachlan, Quispel, Acta Numerica 11 (2002) 341-434; Hairer, Lubich, Wanner, Geometric Numerical
/// Integration, II.5, VII.5.
class GeodesicVerlet final : public Stepper {
 public:
  int order() const override { return 2; }
  /// Number of force evaluations so far.
  long evaluations() const override { return evaluations_; }
  std::string message() const override { return message_; }
  std::optional<std::string> why_unsuitable(const System& system) const override;
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  StepStatus step(const System& system, State& x, double t, double h);
  void kick(const EulerPoincare& equations, double h, Vec& v);

  GeodesicFlow flow_;
  State next_;
  Vec force_, change_;
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
