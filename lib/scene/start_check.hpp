#pragma once

#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// Throws SceneError for a start at which a run could not begin: it cannot be evaluated, or a quantity is not
/// finite. `at_once`: from run_at_start.
void require_finite(const Scene& scene, const ReadyScene& ready, const Trajectory& at_once);

}  // namespace torsor::scene
