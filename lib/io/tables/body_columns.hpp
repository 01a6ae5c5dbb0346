#pragma once

#include <array>
#include <string_view>

#include "io/pages/facts.hpp"

namespace torsor::io {

/// A vector that results list for each body and for each node of a rigid system of particles: three columns
/// of tables, and a dataset of HDF5 files.
struct BodyVector {
  enum class Of { all, turning, particles };  ///< the parts that have it; bodies turn, particles do not

  std::string_view column;  ///< in tables and JSON: "vdot" for vdot_x, ...; empty for the position
  std::string_view unit;
  Of of;
  Vec3 (*value)(const MovingPart& part);
  std::string_view dataset;  ///< in HDF5 files; empty if readers compute the vector from others
  std::string_view axes;     ///< of the dataset
  Vec3 BodyMotion::*stored;  ///< the values of the dataset

  bool listed_for(const MovingPart& part) const {
    return of == Of::all || (of == Of::particles) == part.particle;
  }
};

namespace detail {
template <Vec3 BodyMotion::*member>
constexpr BodyVector body_vector(std::string_view column, std::string_view unit, BodyVector::Of of,
                                 std::string_view dataset, std::string_view axes) {
  return {column,  unit, of,    [](const MovingPart& part) { return part.motion.*member; },
          dataset, axes, member};
}
}  // namespace detail

/// The vectors in the order of results. The attitude stands after the position in tables, and after the
/// velocity in JSON.
inline constexpr std::array body_vectors{
    detail::body_vector<&BodyMotion::x>("", "m", BodyVector::Of::all, "position", "world"),
    detail::body_vector<&BodyMotion::v>("v", "m/s", BodyVector::Of::all, "velocity", "world"),
    detail::body_vector<&BodyMotion::Omega>("Omega", "rad/s", BodyVector::Of::turning, "angular_velocity",
                                            "body"),
    detail::body_vector<&BodyMotion::vdot>("vdot", "m/s^2", BodyVector::Of::all, "acceleration", "world"),
    detail::body_vector<&BodyMotion::Omegadot>("Omegadot", "rad/s^2", BodyVector::Of::turning,
                                               "angular_acceleration", "body"),
    BodyVector{"force", "N", BodyVector::Of::particles,
               [](const MovingPart& part) { return part.applied_force(); }, "", "", nullptr},
    detail::body_vector<&BodyMotion::reaction>("reaction", "N", BodyVector::Of::particles, "reaction",
                                               "world")};

/// Calls f with each vector that files store, first those of all parts, then those of turning parts, then
/// those of particles.
template <class F>
void for_each_stored_vector(const F& f) {
  for (const auto of : {BodyVector::Of::all, BodyVector::Of::turning, BodyVector::Of::particles})
    for (const BodyVector& vector : body_vectors)
      if (vector.of == of && vector.stored) f(vector);
}

}  // namespace torsor::io
