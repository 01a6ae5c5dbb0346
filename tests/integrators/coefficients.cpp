#include <doctest/doctest.h>

#include <cmath>
#include <span>

#include "integrators/composition.hpp"
#include "integrators/half_explicit.hpp"
#include "torsor/integrators/commutator_free.hpp"

using namespace torsor;

namespace {

/// sum_i b_i f(i)
template <class T, class F>
double weighted(const T& tableau, const F& f) {
  double sum = 0;
  for (int i = 0; i < T::stages; ++i) sum += tableau.b[i] * f(i);
  return sum;
}
/// sum_j a_ij f(j)
template <class T, class F>
double row(const T& tableau, int i, const F& f) {
  double sum = 0;
  for (int j = 0; j < i; ++j) sum += tableau.a[i][j] * f(j);
  return sum;
}

template <class T>
void check_order_3(const T& m) {
  const auto c = [&](int i) { return m.c[i]; };
  const auto near = [](double x, double y) { return std::abs(x - y) < 4e-15; };
  for (int i = 0; i < T::stages; ++i) {
    CHECK(near(row(m, i, [](int) { return 1; }), m.c[i]));
    for (int j = i; j < T::stages; ++j) CHECK(m.a[i][j] == 0);
  }
  CHECK(near(weighted(m, [](int) { return 1; }), 1));
  CHECK(near(weighted(m, c), 1. / 2));
  CHECK(near(weighted(m, [&](int i) { return c(i) * c(i); }), 1. / 3));
  CHECK(near(weighted(m, [&](int i) { return row(m, i, c); }), 1. / 6));
  // The one condition of order 3 that classical methods do not have; it concerns the order of the factors.
  const auto before = [&](int j) {
    double sum = m.b[j] * c(j) / 2;
    for (int i = 0; i < j; ++i) sum += m.b[i] * c(i);
    return sum;
  };
  CHECK(near(weighted(m, before), 1. / 6));
}

}  // namespace

TEST_CASE("cg3 fulfils the conditions of order 3") { check_order_3(cg3_tableau); }

TEST_CASE("cg4 fulfils the conditions of order 3, and the classical ones of order 4") {
  check_order_3(cg4_tableau);
  const auto& m = cg4_tableau;
  const auto c = [&](int i) { return m.c[i]; };
  const auto c2 = [&](int i) { return m.c[i] * m.c[i]; };
  const auto ac = [&](int i) { return row(m, i, c); };
  CHECK(weighted(m, [&](int i) { return c2(i) * c(i); }) == doctest::Approx(1. / 4).epsilon(1e-14));
  CHECK(weighted(m, [&](int i) { return c(i) * ac(i); }) == doctest::Approx(1. / 8).epsilon(1e-14));
  CHECK(weighted(m, [&](int i) { return row(m, i, c2); }) == doctest::Approx(1. / 12).epsilon(1e-14));
  CHECK(weighted(m, [&](int i) { return row(m, i, ac); }) == doctest::Approx(1. / 24).epsilon(1e-14));
}

namespace {

/// Removes the next row of a triangle and returns the sum of its entries.
double take_row(std::span<const double>& triangle, std::size_t size) {
  double sum = 0;
  for (const double a : triangle.first(size)) sum += a;
  triangle = triangle.subspan(size);
  return sum;
}

}  // namespace

TEST_CASE("rows of half-explicit tables sum to their times, and the last point is the new state") {
  for (const HalfExplicitTable* table : {&hemk4_table, &hemk5_table}) {
    std::span<const double> a = table->a, rows = table->a_rows;
    const auto stages = std::size_t(table->stages);
    const std::span<const double> b = rows.last(stages);
    for (std::size_t i = 0; i < stages; ++i) {
      CHECK(take_row(a, i) == doctest::Approx(table->c[i]).epsilon(1e-14));
      CHECK(take_row(rows, i + 1) == doctest::Approx(table->c_rows[i]).epsilon(1e-14));
    }
    CHECK(a.empty());
    CHECK(rows.empty());
    CHECK(table->c_rows[stages - 1] == 1);
    for (int power = 0; power < table->order; ++power) {
      double sum = 0;
      for (std::size_t i = 0; i < stages; ++i) sum += b[i] * std::pow(table->c[i], power);
      CHECK(sum == doctest::Approx(1. / (power + 1)).epsilon(1e-13));
    }
    double error = 0;
    for (const double e : table->error) error += e;
    CHECK(std::abs(error) < 1e-15);
  }
}

TEST_CASE("compositions fulfil the conditions of their order, and no substep leaves the step") {
  for (const CompositionTable* table : {&suzuki_table, &sofroniou_spaletta_table}) {
    CAPTURE(table->order);
    const auto gamma = table->gamma;
    double end = 0, cubes = 0, fifth_powers = 0, moments = 0;
    for (std::size_t i = 0; i < gamma.size(); ++i) {
      const double g = gamma[i], middle = end + g / 2;
      CHECK(g == gamma[gamma.size() - 1 - i]);
      end += g;
      CHECK(std::abs(end - 0.5) <= 0.5 + 1e-15);
      cubes += g * g * g;
      fifth_powers += std::pow(g, 5);
      moments += g * g * g * middle * middle;
    }
    CHECK(std::abs(end - 1) < 1e-15);
    CHECK(std::abs(cubes) < 1e-15);
    CHECK((std::abs(fifth_powers) < 1e-15) == (table->order >= 6));
    CHECK((std::abs(moments) < 1e-15) == (table->order >= 6));
  }
}
