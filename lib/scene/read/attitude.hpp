#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table_reader.hpp"
#include "torsor/lie/se3.hpp"

namespace torsor::scene {

inline const std::vector<std::string_view> attitude_keys{"quaternion_wxyz", "rotation_vector", "euler_zxz",
                                                         "roll_pitch_yaw",  "euler",           "rows"};

/// The attitude that a table gives by one of its attitude keys, or by `axis` if `with_axis` (in frames);
/// absent if the table gives none. Adds a note of every correction (such as of a quaternion that is not quite
/// of unit length) to `notes`.
std::optional<SO3<>> read_attitude(const TableReader& table, std::vector<std::string>& notes,
                                   bool with_axis = false);

/// The frame of a table with `position` and at most one attitude key or `axis`.
SE3<> read_frame(const TableReader& table, std::vector<std::string>& notes);

/// A unit vector along the value of a key. Reports a zero vector and returns z for it.
Vec3 read_direction(const TableReader& table, std::string_view key);

/// The shortest rotation from z to a unit vector; a half turn about x if the vector is -z.
SO3<> rotation_from_z(const Vec3& direction);

}  // namespace torsor::scene
