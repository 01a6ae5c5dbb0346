#pragma once

#include "geometry/rolling_disk.hpp"
#include "geometry/sleigh.hpp"
#include "torsor/geometry/strong_friction.hpp"

namespace torsor::test {

using namespace geometry;

/// Chaplygin's sleigh; its blade slips against strong friction.
inline const StrongFriction sleigh_system{sleigh::Metric(), sleigh::Rows(), sleigh::Force(),
                                          sleigh::Friction()};

/// The rolling disk; its contact point slips against strong friction.
inline auto disk_system(const rolling_disk::Parameters& p) {
  return StrongFriction{rolling_disk::Metric{p}, rolling_disk::Rows{p}, rolling_disk::Force{p},
                        rolling_disk::Friction{p}};
}

}  // namespace torsor::test
