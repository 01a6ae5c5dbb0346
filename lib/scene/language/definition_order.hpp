#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "scene/diagnostics.hpp"
#include "scene/document.hpp"

namespace torsor::scene {

/// The indices of the definitions, ordered so that each definition follows the definitions that it uses.
/// `uses[i]`: the indices of the definitions that definition i uses. If definitions form a cycle,
/// reports it and returns nothing. `table`: the name of the table for messages, such as "[definitions]".
std::optional<std::vector<int>> definition_order(const Node::Table& entries,
                                                 const std::vector<std::vector<int>>& uses,
                                                 std::string_view table, Diagnostics& diagnostics);

}  // namespace torsor::scene
