#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "constrained_bodies.hpp"
#include "observed_order.hpp"
#include "row_on_group.hpp"
#include "run.hpp"
#include "torsor/lie/semidirect_product.hpp"

using namespace torsor;
using namespace torsor::test;
using Group = ConstrainedBodies::Group;

namespace {

struct Problem {
  std::string name;
  std::shared_ptr<const ConstrainedBodies> system;
  State start;
  double t_end;
  int steps;           ///< for methods of order 1 to 3; fewer for higher orders, see steps_for
  int steps_of_3 = 0;  ///< for methods of order 3, if different
};

std::vector<Problem> problems(Group group) {
  const auto top = std::make_shared<Top>(group), moved = std::make_shared<Top>(group, 0.1);
  const auto doubled = std::make_shared<Top>(group);
  doubled->repeat_rows(2);
  const auto chain = std::make_shared<Chain>(group);
  const auto ball = std::make_shared<RollingBall>(group);
  return {{"top on a moving support", moved, moved->start(5), 0.4, 64, 128},
          {"top with each row twice", doubled, doubled->start(20), 0.1, 64},
          {"chain of two", chain, chain->start(), 0.3, 48},
          {"rolling ball", ball, ball->start(), 1, 64}};
}

std::array<double, 3> errors(const Problem& problem, const State& x, const Vec& lambda, const State& exact,
                             const Vec& exact_lambda) {
  Vec xi(problem.system->nv());
  problem.system->local_difference(exact.q, x.q, xi);
  return {xi.norm(), (x.v - exact.v).norm(), (lambda - exact_lambda).norm()};
}

/// The method's own multipliers if it has some, otherwise the multipliers of the state.
Vec multipliers(const Problem& problem, const Stepper& stepper, double t, const State& x) {
  Vec lambda(problem.system->rows()), a(problem.system->nv());
  if (!stepper.multipliers(x, lambda)) problem.system->acceleration(t, x.q, x.v, a, lambda);
  return lambda;
}

State exact(const Problem& problem, double t_end, int steps) {
  const auto stepper = find_method("rkmk-fehlberg78")->make(Treatment::index_1);
  return run(*stepper, *problem.system, problem.start, 0, t_end, steps);
}

void check_residuals(const Problem& problem, const State& x) {
  Vec residual(problem.system->rows());
  problem.system->position_residual(problem.t_end, x.q, residual);
  CHECK(greatest(residual) < 1e-11);
  problem.system->velocity_residual(problem.t_end, x.q, x.v, residual);
  CHECK(greatest(residual) < 1e-12);
}

/// The observed order of one quantity, and the rounding error of that quantity.
struct OrderAboveRounding : ObservedOrder {
  double rounding;
};

/// Observed orders of x, v and lambda over up to three halvings.
std::array<OrderAboveRounding, 3> orders(const Problem& problem, Stepper& stepper, int steps) {
  const State end = exact(problem, problem.t_end, 400);
  const Vec end_lambda = multipliers(problem, *find_method("rkmk4")->make(), problem.t_end, end);
  std::map<int, std::array<double, 3>> found;
  for (int n = steps; n <= 8 * steps; n *= 2) {
    const State x = run(stepper, *problem.system, problem.start, 0, problem.t_end, n);
    check_residuals(problem, x);
    found[n] = errors(problem, x, multipliers(problem, stepper, problem.t_end, x), end, end_lambda);
  }
  std::array<OrderAboveRounding, 3> result;
  const std::array<double, 3> rounding{1e-12, 1e-12, 1e-12 + 3e-13 * end_lambda.norm()};
  for (std::size_t i = 0; i < 3; ++i) {
    int count = 2;  // as long as the error exceeds rounding
    while (count < 4 && found[steps << count][i] > rounding[i]) ++count;
    result[i] = {observed_order([&](int n) { return found[n][i]; }, steps, count), rounding[i]};
  }
  return result;
}

void check_orders(const Problem& problem, Stepper& stepper, int order, int steps, double slack) {
  const auto observed = orders(problem, stepper, steps);
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    CAPTURE(observed[i].text());
    CHECK((observed[i].slope > order - slack || observed[i].errors.back() < observed[i].rounding));
  }
}

/// Checks the order of the errors in v and lambda over the first steps. An inconsistent start would
/// lower this order.
void check_start(const Problem& problem, Stepper& stepper, int order, int steps, int first) {
  std::map<int, std::array<double, 3>> found;
  for (int n = steps; n <= 4 * steps; n *= 2) {
    const double t = first * problem.t_end / n;
    const State x = run(stepper, *problem.system, problem.start, 0, t, first), end = exact(problem, t, 3);
    const Vec end_lambda = multipliers(problem, *find_method("rkmk4")->make(), t, end);
    found[n] = errors(problem, x, multipliers(problem, stepper, t, x), end, end_lambda);
  }
  for (std::size_t i = 1; i < 3; ++i) {
    const ObservedOrder observed = observed_order([&](int n) { return found[n][i]; }, steps, 3);
    CAPTURE(i);
    CAPTURE(observed.text());
    CHECK(observed.slope > order - 0.2);
  }
}

template <class Body>
void for_each_problem(const Body& body) {
  for (const Group group : {Group::direct, Group::semidirect}) {
    for (const Problem& problem : problems(group)) {
      CAPTURE(group == Group::direct);
      CAPTURE(problem.name);
      body(problem);
    }
  }
}

int steps_for(const Problem& problem, int order) {
  if (order == 3 && problem.steps_of_3 > 0) return problem.steps_of_3;
  return order >= 8 ? problem.steps / 16 : order >= 4 ? problem.steps / 4 : problem.steps;
}

}  // namespace

TEST_CASE(
    "each method has its order in positions, velocities and multipliers in index-1, -2 and -3 treatments") {
  for_each_problem([](const Problem& problem) {
    for_each_form([&](const MethodInfo& method, Treatment treatment) {
      const double slack = method.order <= 2 ? 0.15 : method.order <= 4 ? 0.2 : method.order < 8 ? 0.5 : 1;
      check_orders(problem, *method.make(treatment), method.order, steps_for(problem, method.order), slack);
    });
  });
}

TEST_CASE_TEMPLATE("each method has its order on extended poses under an affine row in its index treatments",
                   G, SE23<>, SGal3<>) {
  const RowOnGroup<G> system;
  const State end =
      run(*find_method("rkmk-fehlberg78")->make(Treatment::index_1), system, system.start(), 0, 1, 200);
  for_each_form([&](const MethodInfo& method, Treatment treatment) {
    const auto stepper = method.make(treatment);
    if (stepper->why_unsuitable(system)) return;
    const auto error = [&](int steps) {
      const State x = run(*stepper, system, system.start(), 0, 1, steps);
      Vec psi(1);
      system.velocity_residual(1, x.q, x.v, psi);
      CHECK(greatest(psi) < 1e-12);
      return distance(system, x, end);
    };
    const int order = method.order;
    const ObservedOrder observed = observed_order(error,
                                                  order >= 8   ? 4
                                                  : order >= 5 ? 16
                                                               : 64,
                                                  order >= 8 ? 2 : 3);
    CAPTURE(observed.text());
    CHECK(observed.slope > order - (order <= 4 ? 0.1 : order < 8 ? 0.3 : 1));
  });
}

TEST_CASE("methods of order up to 2 have their order from the first step") {
  for_each_problem([](const Problem& problem) {
    for_each_form([&](const MethodInfo& method, Treatment treatment) {
      if (method.order > 2) return;
      for (const int first : {1, 3}) {
        CAPTURE(first);
        check_start(problem, *method.make(treatment), method.order, 2 * problem.steps, first);
      }
    });
  });
}
