#pragma once

#include <string_view>

namespace torsor {

/// How the freedoms of a free body compose (doi 10.1007/s11071-023-08326-9, eqs. 94-121): `direct` is R^3 x
/// SO(3), velocity (x', Omega), x' in world axes; `semidirect` is SE(3), velocity (R^T x', Omega).
enum class GroupProduct { direct, semidirect };
constexpr std::string_view to_string(GroupProduct product) {
  return product == GroupProduct::direct ? "direct" : "semidirect";
}

}  // namespace torsor
