#pragma once

/// The groups SO(2), SO(3), SE(2), SE(3), R^n and their products, with exponential, logarithm and the
/// derivatives of both.

#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se2.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/so2.hpp"
#include "torsor/lie/so3.hpp"
