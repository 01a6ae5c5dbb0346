#include "torsor/coordinates/system_in_coordinates.hpp"

#include <array>

namespace torsor {

std::string_view to_string(CoordinateEquations equations) {
  constexpr std::array<std::string_view, 6> names{"coordinates",     "hamel",          "christoffel",
                                                  "canonical-minus", "canonical-zero", "canonical-plus"};
  return names[static_cast<std::size_t>(equations)];
}

void SystemInCoordinates::to_state_of_acceleration(double t, VecOut q, VecOut u) const {
  if (treatment() != Treatment::dynamic) to_constraints_if_steep(t, q, u);
  if (const VelocityMap* const map = velocity_map()) map->velocity(t, q, u, u);
}

void SystemInCoordinates::acceleration_and_power(double t, VecIn q, VecIn u, VecOut a, double& power) const {
  Vec lambda(rows()), a0(rows()), at = q, w = u;
  acceleration(t, q, u, a, lambda);
  to_state_of_acceleration(t, at, w);
  row_offsets(t, at, a0);
  power = load_power(t, at, w) - a0.dot(lambda);
}

}  // namespace torsor
