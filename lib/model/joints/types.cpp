#include "cylindrical.hpp"
#include "fixed.hpp"
#include "free.hpp"
#include "helical.hpp"
#include "planar.hpp"
#include "prismatic.hpp"
#include "revolute.hpp"
#include "spherical.hpp"
#include "translation.hpp"
#include "universal.hpp"

namespace torsor {
namespace {

template <class Kind>
constexpr JointType type_of() {
  return {Kind::name,
          Kind::group,
          Kind::coordinates,
          Kind::rates,
          Kind::rows,
          Kind::quaternion,
          Kind::pose,
          Kind::coordinates_at,
          Kind::rates_at,
          Kind::add_rate_of_map,
          Kind::seen_from_child,
          Kind::why_metric_varies};
}

/// In the order of JointKind.
template <class... Kinds>
constexpr std::array all_types{type_of<Kinds>()...};
constexpr const auto& types =
    all_types<joints::Fixed, joints::Revolute, joints::Prismatic, joints::Helical, joints::Cylindrical,
              joints::Universal, joints::Planar, joints::Spherical, joints::Free, joints::Translation>;

}  // namespace

const JointType& joint_type(JointKind kind) { return types[static_cast<std::size_t>(kind)]; }

std::optional<JointKind> find_joint_kind(std::string_view name) {
  for (std::size_t k = 0; k < types.size(); ++k)
    if (types[k].name == name) return static_cast<JointKind>(k);
  return std::nullopt;
}

int coordinate_count(JointKind kind) { return static_cast<int>(joint_type(kind).coordinates.size()); }
int freedom_count(JointKind kind) { return static_cast<int>(joint_type(kind).rates.size()); }

}  // namespace torsor
