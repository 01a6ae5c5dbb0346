#include "torsor/coordinates/system_in_coordinates.hpp"

#include <array>

namespace torsor {

std::string_view to_string(CoordinateEquations equations) {
  constexpr std::array<std::string_view, 6> names{"coordinates",     "hamel",          "christoffel",
                                                  "canonical-minus", "canonical-zero", "canonical-plus"};
  return names[static_cast<std::size_t>(equations)];
}

void SystemInCoordinates::acceleration_and_power(double t, VecIn q, VecIn u, VecOut a, double& power) const {
  Vec lambda(rows()), a0(rows()), w = u;
  acceleration(t, q, u, a, lambda);
  if (const VelocityMap* const map = velocity_map()) map->velocity(t, q, u, w);
  row_offsets(t, q, a0);
  power = load_power(t, q, w) - a0.dot(lambda);
}

}  // namespace torsor
