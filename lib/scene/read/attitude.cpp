#include "attitude.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

namespace torsor::scene {
namespace {

constexpr double exact = 1e-12;    // rounding of decimal digits: corrected without a note
constexpr double repaired = 1e-6;  // corrected with a note; a larger defect is an error

std::optional<SO3<>> from_quaternion(const TableReader& table, std::vector<std::string>& notes) {
  const auto q = table.numbers("quaternion_wxyz");
  if (!q) return std::nullopt;
  const double length = Eigen::Vector4d(q->data()).stableNorm();
  if (!(std::abs(length - 1) <= repaired)) {
    table.error("quaternion_wxyz",
                fmt::format("\"quaternion_wxyz\" of {} has the length {:.7g}, not 1", table.where(), length));
    return std::nullopt;
  }
  if (std::abs(length - 1) > exact)
    notes.push_back(fmt::format("the quaternion of {} was normalised, its length was 1 {:+.2g}",
                                table.where(), length - 1));
  return SO3<>::from_wxyz((*q)[0], (*q)[1], (*q)[2], (*q)[3]).normalized();
}

std::optional<SO3<>> from_rows(const TableReader& table, std::vector<std::string>& notes) {
  const auto R = table.matrix("rows");
  if (!R) return std::nullopt;
  const double defect = (*R * R->transpose() - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(defect <= repaired)) {
    table.error("rows", fmt::format("\"rows\" of {} are not orthonormal: R R^T differs from 1 by {:.2g}",
                                    table.where(), defect));
    return std::nullopt;
  }
  if (R->determinant() < 0) {
    table.error("rows", fmt::format("\"rows\" of {} are a left-handed frame, not a rotation", table.where()));
    return std::nullopt;
  }
  if (defect > exact)
    notes.push_back(fmt::format("the rotation matrix of {} was made orthogonal, it was off by {:.2g}",
                                table.where(), defect));
  return SO3<>::from_matrix(*R).normalized();
}

/// R1(a) R2(b) R3(c), about the axes of the letters.
SO3<> from_turns(std::string_view axes, const std::vector<double>& angles) {
  const auto turn = [&](std::size_t i) {
    Vec3 xi = Vec3::Zero();
    xi[axes[i] - 'x'] = angles[i];
    return SO3<>::exp(xi);
  };
  return turn(0) * turn(1) * turn(2);
}

std::optional<SO3<>> from_euler(const TableReader& table) {
  const auto angles = table.numbers("angles");
  if (!angles || !table.readable("axes")) return std::nullopt;
  return from_turns(table.text("axes"), *angles);
}

}  // namespace

SO3<> rotation_from_z(const Vec3& direction) {
  const Vec3 across(-direction.y(), direction.x(), 0);  // z x direction
  const double s = across.norm();
  if (s < 1e-150)  // where its square may have lost digits
    return direction.z() > 0 ? SO3<>::identity() : SO3<>::from_wxyz(0, 1, 0, 0);
  return SO3<>::exp(arctan2(s, direction.z()) / s * across);
}

Vec3 read_direction(const TableReader& table, std::string_view key) {
  const auto direction = table.vec3(key);
  if (!direction) return Vec3::UnitZ();
  const double length = direction->stableNorm();
  if (length > 0) return direction->stableNormalized();
  table.error(key, fmt::format("\"{}\" of {} is zero; it must have a direction", key, table.where()));
  return Vec3::UnitZ();
}

std::optional<SO3<>> read_attitude(const TableReader& table, std::vector<std::string>& notes,
                                   bool with_axis) {
  std::vector<std::string_view> keys = attitude_keys;
  if (with_axis) keys.push_back("axis");
  const auto key = choice(table, keys);
  if (!key) return std::nullopt;
  if (*key == "quaternion_wxyz") return from_quaternion(table, notes);
  if (*key == "rows") return from_rows(table, notes);
  if (*key == "axis") return rotation_from_z(read_direction(table, *key));
  if (*key == "euler") return from_euler(table.inner(*key));
  const auto angles = table.numbers(*key);
  if (!angles) return std::nullopt;
  if (*key == "euler_zxz") return from_turns("zxz", *angles);
  if (*key == "roll_pitch_yaw") return from_turns("zyx", {angles->rbegin(), angles->rend()});
  return SO3<>::exp(Vec3(angles->data()));
}

SE3<> read_frame(const TableReader& table, std::vector<std::string>& notes) {
  const SO3<> R = read_attitude(table, notes, true).value_or(SO3<>::identity());
  return {R, table.vec3("position").value_or(Vec3::Zero())};
}

}  // namespace torsor::scene
