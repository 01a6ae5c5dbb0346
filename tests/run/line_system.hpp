#pragma once

#include <functional>
#include <utility>

#include "torsor/integrators/system.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor {

/// R^n with a given acceleration, as a System.
class LineSystem : public System {
 public:
  using Acceleration = std::function<void(double t, VecIn q, VecIn v, VecOut a)>;
  LineSystem(int n, Acceleration acceleration) : n_(n), acceleration_(std::move(acceleration)) {}

  int nq() const override { return n_; }
  int nv() const override { return n_; }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override { q_next = q + xi; }
  void local_difference(VecIn q, VecIn p, VecOut xi) const override { xi = p - q; }
  void dexp(VecIn, VecIn w, VecOut out) const override { out = w; }
  void dexp_inv(VecIn, VecIn w, VecOut out) const override { out = w; }
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override { acceleration_(t, q, v, a); }

 private:
  int n_;
  Acceleration acceleration_;
};

inline State line_state(double q, double v) {
  State x;
  x.q.setConstant(1, q);
  x.v.setConstant(1, v);
  return x;
}

/// q'' = -q: q = cos t from (1, 0).
inline LineSystem oscillator() {
  return {1, [](double, VecIn q, VecIn, VecOut a) { a = -q; }};
}

/// v' = v^2: the solution from v = 1 has a pole at t = 1.
inline LineSystem pole() {
  return {1, [](double, VecIn, VecIn v, VecOut a) { a = v.cwiseAbs2(); }};
}

/// Options for steps controlled by a tolerance, up to t_end.
inline SimulationOptions controlled(double tolerance, double t_end, const char* method = "rkmk-dopri5") {
  SimulationOptions options;
  options.method = method;
  options.tolerance = tolerance;
  options.t_end = t_end;
  return options;
}

}  // namespace torsor
