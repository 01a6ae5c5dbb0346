#include "torsor/integrators/system.hpp"

#include <cmath>
#include <stdexcept>

#include "torsor/integrators/euler_poincare.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor {

const EulerPoincare& euler_poincare_of(const System& system) {
  const EulerPoincare* const equations = system.euler_poincare();
  if (!equations) throw std::logic_error("the system does not have the form of Euler and Poincare");
  return *equations;
}

void System::chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const {
  q_scratch_.resize(nq());
  retract(q, xi, q_scratch_);
  if (const VelocityMap* const map = velocity_map()) {
    map->velocity(t, q_scratch_, v, xi_rate);
    dexp_inv(xi, xi_rate, xi_rate);
  } else {
    dexp_inv(xi, v, xi_rate);
  }
  acceleration(t, q_scratch_, v, a);
}

double System::error_norm(const State& x, VecIn xi, VecIn dv) const {
  double greatest = 0;
  for (Eigen::Index i = 0; i < xi.size() - quadratures(); ++i) {
    greatest = max_or_nan(greatest, std::abs(xi[i]));
    greatest = max_or_nan(greatest, std::abs(dv[i]) / (1 + std::abs(x.v[i])));
  }
  return greatest;
}

}  // namespace torsor
