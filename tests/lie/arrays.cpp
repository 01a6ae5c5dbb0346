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
  std::vector<double> xi, eta, p, g, next, log, dexp, dexp_inv, composed, acted;

  explicit Expected(std::size_t n) {
    const auto samples = hard_samples<G>();
    std::vector<std::vector<double>> all[10];
    for (std::size_t k = 0; k < n; ++k) {
      const typename G::Tangent at = samples[(7 * k) % samples.size()].xi, rate = Direction<G>::random();
      const G element = G::exp(at), following = G::exp(samples[(7 * k + 7) % samples.size()].xi);
      const typename G::Point point = G::Point::Random();
      all[0].push_back(listed(at));
      all[1].push_back(listed(rate));
      all[2].push_back(stored(element));
      all[3].push_back(listed(typename G::Tangent(element.log())));
      all[4].push_back(listed(typename G::Tangent(G::dexp(at, rate))));
      all[5].push_back(listed(typename G::Tangent(G::dexp_inv(at, rate))));
      all[6].push_back(stored(G(element * following)));
      all[7].push_back(listed(point));
      all[8].push_back(listed(typename G::Point(element * point)));
      all[9].push_back(stored(following));
    }
    xi = columns(n, all[0]), eta = columns(n, all[1]), g = columns(n, all[2]), log = columns(n, all[3]);
    dexp = columns(n, all[4]), dexp_inv = columns(n, all[5]), composed = columns(n, all[6]);
    p = columns(n, all[7]), acted = columns(n, all[8]), next = columns(n, all[9]);
  }
};

template <class G>
void check_bits(const GroupKernels& kernels, std::size_t n) {
  const Expected<G> expected(n);
  const auto check = [&](std::size_t size, const std::vector<double>& values, auto kernel) {
    std::vector<double> out(size * n);
    kernel(out.data());
    CHECK(same_bits(out, values));
  };
  const auto at = [&](GroupKernels::Map* map, const auto& in) {
    return [=, &in](double* out) { map(n, in.data(), out); };
  };
  const auto at2 = [&](GroupKernels::Map2* map, const auto& a, const auto& b) {
    return [=, &a, &b](double* out) { map(n, a.data(), b.data(), out); };
  };
  check(G::nq, expected.g, at(kernels.exp, expected.xi));
  check(G::dof, expected.log, at(kernels.log, expected.g));
  check(G::dof, expected.dexp, at2(kernels.dexp, expected.xi, expected.eta));
  check(G::dof, expected.dexp_inv, at2(kernels.dexp_inv, expected.xi, expected.eta));
  check(G::nq, expected.composed, at2(kernels.compose, expected.g, expected.next));
  check(G::Point::RowsAtCompileTime, expected.acted, at2(kernels.act, expected.g, expected.p));
}

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
      check_bits<SO2<>>(with.so2, n);
      check_bits<SO3<>>(with.so3, n);
      check_bits<SE2<>>(with.se2, n);
      check_bits<SE3<>>(with.se3, n);
    }
  }
}

TEST_CASE("an output may be the input") {
  const std::size_t n = 21;
  const Expected<SE3<>> motion(n);
  std::vector<double> eta = motion.eta;
  array_kernels().se3.dexp_inv(n, motion.xi.data(), eta.data(), eta.data());
  CHECK(same_bits(eta, motion.dexp_inv));
}

TEST_CASE("functions of arrays write only within the arrays and accept zero elements") {
  const std::size_t n = 5;
  const Expected<SO3<>> turn(n);
  std::vector<double> q(4 * n + 1, 77);
  array_kernels().so3.exp(n, turn.xi.data(), q.data());
  CHECK(q.back() == 77);
  array_kernels().so3.exp(0, nullptr, nullptr);
}

TEST_CASE("the best instruction set is available, and SSE2 always is") {
  CHECK(is_available(best_isa()));
  CHECK(is_available(Isa::sse2));
  CHECK(to_string(Isa::avx512) == "avx512");
  for (Isa isa : {Isa::avx2, Isa::avx512}) {
    if (!is_available(isa)) CHECK_THROWS_AS(array_kernels(isa), std::invalid_argument);
  }
}
