#pragma once

#include <memory>
#include <string_view>

#include "run/lanes/lane_step.hpp"
#include "torsor/lie/arrays.hpp"
#include "torsor/model/model.hpp"

namespace torsor::batch {

/// Whether a method can run in lanes.
bool runs_in_lanes(std::string_view method);

/// The instruction set that lane_kernels.cpp and lane_pairs.cpp are compiled for, and the number of doubles
/// in one of its packs.
#ifdef __x86_64__
constexpr Isa lane_isa = Isa::avx2;
constexpr int lane_width = 4;
#else
constexpr Isa lane_isa = Isa::sse2;
constexpr int lane_width = 2;
#endif

/// Makes a stepper; only for processors with lane_isa. If `model` is nullptr, the stepper is for single tops,
/// each with its own constants.
std::unique_ptr<mechanics::LaneStepper> make_lane_stepper(std::string_view method, const Model* model);
/// The same for the methods in lanes that have an ExplicitPair; nullptr for all other methods.
std::unique_ptr<mechanics::LaneStepper> make_pair_stepper(std::string_view method, const Model* model);

}  // namespace torsor::batch
