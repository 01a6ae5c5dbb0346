#pragma once

#include <string>
#include <vector>

#include "verbs.hpp"

namespace torsor::cli {

using Rows = std::vector<std::vector<std::string>>;

/// Five digits; 0 for what is rounding beside `scale`.
std::string number(double value, double scale = 1);
std::string numbers(const Vec3& v, double scale = 1);

/// Lines that differ in their first column alone become one: "link1 .. link100". Beyond `most` lines the rest
/// is counted.
Rows gathered(const Rows& rows, std::size_t most = 24);

/// What `torsor geometry` prints of motions: screws, transport, N, reactions, rigid systems of particles.
std::string motion_text(const Mechanism& mechanism, const GeometryReport& report);

}  // namespace torsor::cli
