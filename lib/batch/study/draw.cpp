#include "draw.hpp"

#include <Random123/philox.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "torsor/lie/detail/real_functions.hpp"

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
  // From five rounds on, about as many values as a half has are needed to tell the permutation from a random
  // one. J. Patarin, Security of random Feistel schemes with 5 or more rounds, CRYPTO 2004. One more round is
  // for the small halves of small studies.
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

namespace {

// Coefficients of algorithm AS 241 for |p - 1/2| <= 0.425, for tails to e^-25, and beyond.
using Terms = std::array<double, 8>;
constexpr Terms middle_above{3.387132872796366608,  133.14166789178437745, 1971.5909503065514427,
                             13731.693765509461125, 45921.953931549871457, 67265.770927008700853,
                             33430.575583588128105, 2509.0809287301226727};
constexpr Terms middle_below{1,
                             42.313330701600911252,
                             687.1870074920579083,
                             5394.1960214247511077,
                             21213.794301586595867,
                             39307.89580009271061,
                             28729.085735721942674,
                             5226.495278852854561};
constexpr Terms outer_above{1.42343711074968357734,   4.6303378461565452959,    5.7694972214606914055,
                            3.64784832476320460504,   1.27045825245236838258,   0.24178072517745061177,
                            0.0227238449892691845833, 7.74545014278341407640e-4};
constexpr Terms outer_below{1,
                            2.05319162663775882187,
                            1.6763848301838038494,
                            0.68976733498510000455,
                            0.14810397642748007459,
                            0.0151986665636164571966,
                            5.47593808499534494600e-4,
                            1.05075007164441684324e-9};
constexpr Terms far_above{6.6579046435011037772,     5.4637849111641143699,    1.7848265399172913358,
                          0.29656057182850489123,    0.026532189526576123093,  1.24266094738807843860e-3,
                          2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Terms far_below{1,
                          0.59983220655588793769,
                          0.13692988092273580531,
                          0.0148753612908506148525,
                          7.86869131145613259100e-4,
                          1.84631831751005468180e-5,
                          1.42151175831644588870e-7,
                          2.04426310338993978564e-15};

double ratio(double z, const Terms& above, const Terms& below) {
  return polynomial(z, above) / polynomial(z, below);
}

}  // namespace

// M. J. Wichura, Applied Statistics 37 (1988) 477-484, algorithm AS 241: three ratios of polynomials,
// accurate to 1e-16. The quantile of Boost.Math is not used: it calls the logarithm of the C library, whose
// last bit depends on the processor.
double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(0.180625 - q * q, middle_above, middle_below);
  const double r = std::sqrt(-real::log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? ratio(r - 1.6, outer_above, outer_below) : ratio(r - 5, far_above, far_below);
  return q < 0 ? -x : x;
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
