#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torsor {

/// `; did you mean "step"?` with the likeliest of `known` for what was written, or nothing where none is
/// near. Nearness counts edits (insert, delete, replace, swap of neighbours; Damerau,
/// doi 10.1145/363958.363994).
std::string did_you_mean(std::string_view written, const std::vector<std::string_view>& known);

}  // namespace torsor
