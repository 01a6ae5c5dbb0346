// Uses kernels that torsor_lanes has compiled for some of the instruction sets, on a processor that may have a
// wider one. Prints the set that was selected.
#include "sets.hpp"

#include <cmath>
#include <iostream>

#include "torsor/batch/ensemble.hpp"
#include "torsor/integrators/rkmk.hpp"

int main() {
  const auto& kernels = torsor::ensemble_kernels<Growth, torsor::Rkmk4>();
  torsor::Ensemble<Growth> ensemble(11);
  for (double& x : ensemble.row(0)) x = 1;
  ensemble.steps(kernels, 0, 0.01, 100);
  for (const double x : ensemble.row(0))
    if (!(std::abs(x - std::exp(1)) < 1e-9)) return 1;
  std::cout << torsor::to_string(kernels.isa) << '\n';
}
