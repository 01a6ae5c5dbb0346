#include "draw.hpp"

#include <Random123/philox.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "torsor/lie/trigonometry.hpp"

namespace torsor::batch {

std::array<std::uint64_t, 4> random_words(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter,
                                          std::uint64_t purpose) {
  r123::Philox4x64::ctr_type count = {{counter, stream, purpose, 0}};
  r123::Philox4x64::key_type key = {{seed, 0}};
  const auto words = r123::Philox4x64()(count, key);
  return {words[0], words[1], words[2], words[3]};
}

KeyedBijection::KeyedBijection(std::uint64_t seed, std::uint64_t stream, std::uint64_t size)
    : seed_(seed), stream_(stream), size_(size), half_bits_((std::bit_width(size - 1) + 1) / 2) {}

std::uint64_t KeyedBijection::operator()(std::uint64_t k) const {
  constexpr std::uint64_t rounds = 6;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = k >> half_bits_, right = k & mask;
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      const std::uint64_t mixed = left ^ (random_words(seed_, stream_, right, round)[0] & mask);
      left = right;
      right = mixed;
    }
    k = left << half_bits_ | right;
  } while (k >= size_);
  return k;
}

double open_unit(std::uint64_t word) { return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52; }

// A start good to 4.5e-4 (M. Abramowitz, I. Stegun, 26.2.23), then two Halley steps, each of which triples
// the digits.
double normal_quantile(double p) {
  if (p > 0.5) return -normal_quantile(1 - p);
  const double s = std::sqrt(-2 * std::log(p));
  double x =
      (2.515517 + s * (0.802853 + s * 0.010328)) / (1 + s * (1.432788 + s * (0.189269 + s * 0.001308))) - s;
  for (int i = 0; i < 2; ++i) {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    const double step = (std::erfc(-x / std::numbers::sqrt2) / 2 - p) / density;
    x -= step / (1 + x * step / 2);
  }
  return x;
}

std::array<double, 4> rotation_from(double u0, double u1, double u2) {
  const double a = std::sqrt(1 - u0), b = std::sqrt(u0);
  const auto first = sin_cos(2 * std::numbers::pi * u1), second = sin_cos(2 * std::numbers::pi * u2);
  return {b * second.cos, a * first.sin, a * first.cos, b * second.sin};
}

std::array<double, 3> direction_from(double u0, double u1) {
  const double z = 2 * u0 - 1, r = 2 * std::sqrt(u0 * (1 - u0));
  const auto turn = sin_cos(2 * std::numbers::pi * u1);
  return {r * turn.cos, r * turn.sin, z};
}

}  // namespace torsor::batch
