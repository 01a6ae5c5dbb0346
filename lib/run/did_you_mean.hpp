#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torsor {

/// The member of `known` that is nearest to `written`, or an empty string where none is near. The distance is
/// the number of edits: insert, delete, replace, swap of neighbours (Damerau, doi 10.1145/363958.363994),
/// without regard to case. A name that begins with the other one is near if `written` has at least four
/// letters and the other name at least three.
std::string_view nearest_name(std::string_view written, const std::vector<std::string_view>& known);

/// `; did you mean "step"?` with the nearest name, or an empty string where none is near.
std::string did_you_mean(std::string_view written, const std::vector<std::string_view>& known);

}  // namespace torsor
