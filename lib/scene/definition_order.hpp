#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnostics.hpp"
#include "document.hpp"

namespace torsor::scene {

/// The places of definitions in an order in which each follows those that it uses (`uses[i]`, by their
/// places). Nothing where some lead back to themselves, which is told as of `table`: "[definitions]".
std::optional<std::vector<int>> definition_order(const Node::Table& entries,
                                                 const std::vector<std::vector<int>>& uses,
                                                 std::string_view table, Diagnostics& diagnostics);

}  // namespace torsor::scene
