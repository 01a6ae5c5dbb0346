#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "torsor/lie/types.hpp"

namespace torsor::batch {

/// Four random words that are functions of their arguments alone (Philox4x64-10).
std::array<std::uint64_t, 4> random_words(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter,
                                          std::uint64_t purpose);

/// A bijection of 0 ... size - 1 onto itself, chosen by seed and stream. A Feistel network of the least even
/// number of bits that holds `size`, walked along its cycle until it falls below (J. Black, P. Rogaway,
/// CT-RSA 2002, doi 10.1007/3-540-45760-7_9): no table, and four walks at most on average.
class KeyedBijection {
 public:
  KeyedBijection(std::uint64_t seed, std::uint64_t stream, std::uint64_t size);
  std::uint64_t operator()(std::uint64_t k) const;

 private:
  std::uint64_t seed_, stream_, size_;
  int half_bits_;
};

/// A number of (0, 1), never at its ends, from the upper 52 bits.
double open_unit(std::uint64_t word);

/// Inverse of the standard normal distribution.
double normal_quantile(double p);

/// Uniform on SO(3) from three uniform numbers, as w x y z. K. Shoemake, Graphics Gems III (1992), III.6.
std::array<double, 4> rotation_from(double u0, double u1, double u2);

/// Uniform on the unit sphere from two (Archimedes: the height is uniform).
std::array<double, 3> direction_from(double u0, double u1);

}  // namespace torsor::batch
