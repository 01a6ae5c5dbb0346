#include "torsor/model/joint_kind.hpp"

namespace torsor {
namespace {

template <class Kind>
constexpr decltype(JointType::seen_from_child) seen_from_child() {
  if constexpr (requires { Kind::seen_from_child; }) return Kind::seen_from_child;
  return nullptr;
}

}  // namespace

const JointType& joint_type(JointKind kind) {
  return with_joint(kind, []<class Kind>(Kind) -> const JointType& {
    static constexpr JointType type{Kind::name,
                                    Kind::group,
                                    Kind::coordinates,
                                    Kind::rates,
                                    Kind::rows,
                                    Kind::quaternion,
                                    Kind::pose,
                                    Kind::coordinates_at,
                                    Kind::rates_at,
                                    Kind::add_rate_of_map,
                                    seen_from_child<Kind>(),
                                    Kind::why_metric_varies};
    return type;
  });
}

std::optional<JointKind> find_joint_kind(std::string_view name) {
  for (int k = 0; k < joint_kind_count; ++k)
    if (const auto kind = static_cast<JointKind>(k); joint_type(kind).name == name) return kind;
  return std::nullopt;
}

int coordinate_count(JointKind kind) {
  return with_joint(kind, []<class Kind>(Kind) { return static_cast<int>(Kind::coordinates.size()); });
}
int freedom_count(JointKind kind) {
  return with_joint(kind, []<class Kind>(Kind) { return static_cast<int>(Kind::rates.size()); });
}

}  // namespace torsor
