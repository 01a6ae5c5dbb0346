#pragma once

#include "torsor/integrators/field.hpp"
#include "torsor/lie/rn.hpp"

/// x' = x.
template <class Scalar>
struct GrowthRate {
  torsor::Vector<Scalar, 1> operator()(const Scalar&, const torsor::Rn<1, Scalar>& x) const { return x.p; }
};
template <class Scalar>
struct Growth : torsor::GroupField<torsor::Rn<1, Scalar>, GrowthRate<Scalar>> {
  Growth() : torsor::GroupField<torsor::Rn<1, Scalar>, GrowthRate<Scalar>>({}) {}
};
