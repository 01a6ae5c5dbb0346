#pragma once

#include <string>

#include "torsor/model/detail/reason.hpp"
#include "torsor/model/mechanism.hpp"

namespace torsor {

/// `body "top"`, `joint "hinge"`; without a name `body #1`, numbered from 1.
std::string label(const Body& body, int index);
std::string label(const Joint& joint, int index);
std::string short_label(const Joint& joint, int index);  ///< the bare name, or #number

/// Appends the errors in the bodies (names, masses, inertias, nodes), one sentence each.
void check_bodies(const Mechanism& mechanism, Reasons& reasons);

/// Appends the errors in each joint (name, ends, frames, pitch, `angles_near`, kind), one sentence each.
/// Frames must be rigid.
void check_joints(const Mechanism& mechanism, Reasons& reasons);

}  // namespace torsor
