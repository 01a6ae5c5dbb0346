#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "torsor/lie/types.hpp"

namespace torsor::batch {

/// Four random words that depend only on the arguments (Philox4x64-10).
std::array<std::uint64_t, 4> random_words(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter,
                                          std::uint64_t purpose);

/// A bijection of 0 ... size - 1 onto itself, chosen by seed and stream: a Feistel network on the least
/// even number of bits that holds `size` - 1, applied again until the result is below `size` (cycle walking;
/// J. Black, P. Rogaway, CT-RSA 2002, doi 10.1007/3-540-45760-7_9). It needs no table, and on average at
/// most four applications.
class KeyedBijection {
 public:
  KeyedBijection(std::uint64_t seed, std::uint64_t stream, std::uint64_t size);
  std::uint64_t operator()(std::uint64_t k) const;

 private:
  std::uint64_t seed_, stream_, size_;
  int half_bits_;
};

/// A number in the open interval (0, 1), from the upper 52 bits.
double open_unit(std::uint64_t word);

/// The quantile function of the standard normal distribution.
double normal_quantile(double p);

/// A rotation, uniform on SO(3), from three uniform numbers, as w x y z. K. Shoemake, Graphics Gems III
/// (1992), III.6.
std::array<double, 4> rotation_from(double u0, double u1, double u2);

/// A direction, uniform on the unit sphere, from two uniform numbers (Archimedes: the height is uniform).
std::array<double, 3> direction_from(double u0, double u1);

}  // namespace torsor::batch
