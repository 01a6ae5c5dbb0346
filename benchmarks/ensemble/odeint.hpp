#pragma once

#include <span>

#include "heavy_top.hpp"
#include "torsor/lie/arrays.hpp"

/// Odeint's Runge-Kutta 4 on heavy tops, whose attitudes are quaternions, compiled for one instruction set.
/// The compiler may contract products and sums.
namespace bench {

/// n steps of size h with all tops in one state, stored by component of HandState: the first component of all
/// tops, then the second, and so on. The compiler vectorises over the tops.
template <torsor::Isa isa>
void odeint_together(std::span<double> state, double h, long n);
/// The same, one top after the other.
template <torsor::Isa isa>
void odeint_one_by_one(std::span<HandState> tops, double h, long n);

}  // namespace bench
