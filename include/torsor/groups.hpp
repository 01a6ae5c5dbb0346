#pragma once

/// The groups SO(2), SO(3), SE(2), SE(3), R^n, their direct products, and semi-direct products (SE_2(3),
/// SGal(3), and those of a user), with exponential, logarithm and the derivatives of both.

#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se2.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/semidirect_product.hpp"
#include "torsor/lie/so2.hpp"
#include "torsor/lie/so3.hpp"
