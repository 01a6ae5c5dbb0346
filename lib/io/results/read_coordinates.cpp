#include "io/motion_kind.hpp"
#include "read_parts.hpp"

namespace torsor::io {

void read_in_coordinates(const Hdf5Reader& file, const scene::Scene& scene, std::vector<Sample>& samples) {
  const scene::CoordinateScene& described = *scene.in_coordinates;
  check_names(file, "/coordinates/names", described.coordinates);
  check_names(file, "/quasi_velocities/names", described.quasi_velocities);
  check_names(file, "/constraints/names", described.constraints);
  const auto vectors = [&](const char* path, std::size_t width, const auto& member) {
    const auto& values = file.array(path, {samples.size(), width});
    for (std::size_t i = 0; i < samples.size(); ++i)
      member(samples[i]) = Eigen::Map<const Vec>(values.data() + i * width, static_cast<Eigen::Index>(width));
  };
  const auto numbers = [&](const char* path, double Invariants::*member) {
    const auto& values = file.array(path, {samples.size()});
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i].invariants.*member = values[i];
  };
  const std::size_t n = described.coordinates.size();
  using One = Sample&;
  vectors("/coordinates/value", n, [](One at) -> Vec& { return at.x.q; });
  vectors("/coordinates/rate", n, [](One at) -> Vec& { return at.x.v; });
  vectors("/coordinates/acceleration", n, [](One at) -> Vec& { return at.a; });
  vectors("/quasi_velocities/value", described.quasi_velocities.size(),
          [](One at) -> Vec& { return at.quasi_velocities; });
  vectors("/constraints/multipliers", described.constraints.size(),
          [](One at) -> Vec& { return at.multipliers; });
  numbers("/invariants/kinetic", &Invariants::kinetic);
  numbers("/invariants/potential", &Invariants::potential);
  numbers("/invariants/work", &Invariants::work);
  numbers("/invariants/position_residual", &Invariants::position_residual);
  numbers("/invariants/velocity_residual", &Invariants::velocity_residual);
  numbers("/invariants/acceleration_residual", &Invariants::acceleration_residual);
}

}  // namespace torsor::io
