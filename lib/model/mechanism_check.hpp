#pragma once

#include <string>

#include "torsor/model/mechanism.hpp"
#include "torsor/model/reason.hpp"

namespace torsor {

/// `body "top"`, `joint "hinge"`; by its number from 1 where it has no name.
std::string label(const Body& body, int index);
std::string label(const Joint& joint, int index);
std::string short_label(const Joint& joint, int index);  ///< the bare name, or #number

/// What is wrong with the bodies: names, masses, inertias. One sentence each.
void check_bodies(const Mechanism& mechanism, Reasons& reasons);

/// What is wrong with the joints one by one: names, ends, frames, kinds; frames must be rigid.
void check_joints(const Mechanism& mechanism, Reasons& reasons);

}  // namespace torsor
