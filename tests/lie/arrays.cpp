#include "torsor/lie/arrays.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <stdexcept>

#include "lie/samples.hpp"

using namespace torsor;

namespace {

/// Stores component i of element k at [i * n + k].
std::vector<double> columns(std::size_t n, const std::vector<std::vector<double>>& elements) {
  const std::size_t size = elements.front().size();
  std::vector<double> all(n * size);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < size; ++i) all[i * n + k] = elements[k][i];
  }
  return all;
}
template <class T>
std::vector<double> listed(const T& v) {
  return {v.data(), v.data() + v.size()};
}
template <class G>
std::vector<double> stored(const G& g) {
  std::vector<double> q(G::nq);
  g.to(q.data());
  return q;
}
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

/// Inputs and the results of the group functions in doubles.
template <class G>
struct Expected {
  std::vector<double> xi, eta, g, log, dexp_inv;

  explicit Expected(std::size_t n) {
    const auto samples = hard_samples<G>();
    std::vector<std::vector<double>> all[5];
    for (std::size_t k = 0; k < n; ++k) {
      const typename G::Tangent at = samples[(7 * k) % samples.size()].xi, rate = Direction<G>::random();
      const G element = G::exp(at);
      all[0].push_back(listed(at));
      all[1].push_back(listed(rate));
      all[2].push_back(stored(element));
      all[3].push_back(listed(typename G::Tangent(element.log())));
      all[4].push_back(listed(typename G::Tangent(G::dexp_inv(at, rate))));
    }
    xi = columns(n, all[0]), eta = columns(n, all[1]), g = columns(n, all[2]);
    log = columns(n, all[3]), dexp_inv = columns(n, all[4]);
  }
};

std::vector<Isa> available() {
  std::vector<Isa> sets;
  for (Isa isa : {Isa::sse2, Isa::avx2, Isa::avx512}) {
    if (is_available(isa)) sets.push_back(isa);
  }
  return sets;
}

}  // namespace

TEST_CASE("arrays give the bits of doubles for every instruction set and every length") {
  for (Isa isa : available()) {
    CAPTURE(to_string(isa));
    const ArrayKernels& with = array_kernels(isa);
    for (std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{8},
                          std::size_t{9}, std::size_t{64}, std::size_t{67}}) {
      CAPTURE(n);
      const Expected<SO3<>> turn(n);
      std::vector<double> q(4 * n), w(3 * n);
      with.so3_exp(n, turn.xi.data(), q.data());
      CHECK(same_bits(q, turn.g));
      with.so3_log(n, turn.g.data(), w.data());
      CHECK(same_bits(w, turn.log));
      with.so3_dexp_inv(n, turn.xi.data(), turn.eta.data(), w.data());
      CHECK(same_bits(w, turn.dexp_inv));

      const Expected<SE3<>> motion(n);
      std::vector<double> g(7 * n), xi(6 * n);
      with.se3_exp(n, motion.xi.data(), g.data());
      CHECK(same_bits(g, motion.g));
      with.se3_log(n, motion.g.data(), xi.data());
      CHECK(same_bits(xi, motion.log));
      with.se3_dexp_inv(n, motion.xi.data(), motion.eta.data(), xi.data());
      CHECK(same_bits(xi, motion.dexp_inv));
    }
  }
}

TEST_CASE("an output may be the input") {
  const std::size_t n = 21;
  const Expected<SE3<>> motion(n);
  std::vector<double> eta = motion.eta;
  array_kernels().se3_dexp_inv(n, motion.xi.data(), eta.data(), eta.data());
  CHECK(same_bits(eta, motion.dexp_inv));
}

TEST_CASE("functions of arrays write only within the arrays and accept zero elements") {
  const std::size_t n = 5;
  const Expected<SO3<>> turn(n);
  std::vector<double> q(4 * n + 1, 77);
  array_kernels().so3_exp(n, turn.xi.data(), q.data());
  CHECK(q.back() == 77);
  array_kernels().so3_exp(0, nullptr, nullptr);
}

TEST_CASE("the best instruction set is available, and SSE2 always is") {
  CHECK(is_available(best_isa()));
  CHECK(is_available(Isa::sse2));
  CHECK(to_string(Isa::avx512) == "avx512");
  for (Isa isa : {Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) CHECK_THROWS_AS(array_kernels(isa), std::invalid_argument);
  }
}
