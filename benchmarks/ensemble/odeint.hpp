#pragma once

#include <span>

#include "heavy_top.hpp"
#include "torsor/lie/arrays.hpp"

/// Odeint's Runge-Kutta 4 on heavy tops as quaternions, compiled for one instruction set with the compiler's
/// own contraction of products and sums.
namespace bench {

/// n steps of h with all tops in one state, numbers of a kind in a row: w of all tops, then x ...; the
/// compiler vectorises.
template <torsor::Isa isa>
void odeint_together(std::span<double> state, double h, long n);
/// The same one top after the other.
template <torsor::Isa isa>
void odeint_one_by_one(std::span<HandState> tops, double h, long n);

}  // namespace bench
