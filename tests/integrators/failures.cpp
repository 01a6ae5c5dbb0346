#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "integrators/composition.hpp"
#include "integrators/doubling.hpp"
#include "run.hpp"
#include "torsor/integrators/group_system.hpp"
#include "torsor/integrators/odeint_adaptor.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/so3.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

State spinning(double speed) { return group_state(SO3<>::identity(), Vec3(0, speed, 0.1)); }

struct Outcome {
  StepStatus status;
  std::string message;
};

/// Takes a step that must fail and leave x unchanged.
template <class Acceleration>
Outcome failed_step(const MethodInfo& method, const Acceleration& acceleration, double h,
                    State x = spinning(1)) {
  const auto system = group_system<SO3<>>(acceleration);
  const auto stepper = method.make();
  const State before = x;
  Vec error;
  const StepStatus status = stepper->do_step(system, x, 0.37, h, &error);
  CHECK(status != StepStatus::accepted);
  CHECK(x.q == before.q);
  CHECK(x.v == before.v);
  CHECK(!stepper->message().empty());
  return {status, stepper->message()};
}

const auto at_rest = [](double, const SO3<>&, const Vec3&) { return Vec3(0, 0, 0); };

/// Calls `body` for all methods that do not need the form of Euler and Poincare.
template <class Body>
void for_each_method(const Body& body) {
  for (const MethodInfo& method : methods()) {
    if (method.make()->why_unsuitable(group_system<SO3<>>(at_rest))) continue;
    CAPTURE(std::string(method.name));
    body(method);
  }
}

}  // namespace

TEST_CASE("a step whose acceleration is NaN is never accepted") {
  const auto broken = [](double, const SO3<>&, const Vec3&) { return Vec3(0, not_a_number, 0); };
  for_each_method([&](const MethodInfo& method) {
    const StepStatus status = failed_step(method, broken, 0.1).status;
    CHECK((status == StepStatus::non_finite || status == StepStatus::newton_failed));
  });
}

TEST_CASE("a step whose force overflows is never accepted") {
  const auto huge = [](double, const SO3<>&, const Vec3& v) -> Vec3 {
    return 1e300 * v.squaredNorm() * v * 1e300;
  };
  for_each_method([&](const MethodInfo& method) { failed_step(method, huge, 0.1); });
}

TEST_CASE("an exception of the system becomes a status with its message") {
  const auto throws = [](double t, const SO3<>&, const Vec3&) -> Vec3 {
    if (t > 0.3) throw std::runtime_error("spring 3 broke");
    return Vec3(0, 0, 0);
  };
  const auto singular = [](double, const SO3<>&, const Vec3&) -> Vec3 {
    throw EvaluationError(StepStatus::singular, "the mass matrix lost rank");
  };
  const auto odd = [](double, const SO3<>&, const Vec3&) -> Vec3 { throw 3; };
  for_each_method([&](const MethodInfo& method) {
    const Outcome broke = failed_step(method, throws, 0.1);
    CHECK(broke.status == StepStatus::callback_failed);
    CHECK(broke.message == "spring 3 broke");
    CHECK(failed_step(method, singular, 0.1).status == StepStatus::singular);
    CHECK(failed_step(method, odd, 0.1).status == StepStatus::callback_failed);
  });
}

TEST_CASE("a step size of zero, NaN or infinity is refused") {
  for_each_method([&](const MethodInfo& method) {
    CHECK(failed_step(method, at_rest, 0).status == StepStatus::underflow);
    CHECK(failed_step(method, at_rest, not_a_number).status == StepStatus::non_finite);
    CHECK(failed_step(method, at_rest, std::numeric_limits<double>::infinity()).status ==
          StepStatus::non_finite);
  });
}

/// The length of the longest substep, forward or backward, in a step of length 1.
double longest_substep(const MethodInfo& method) {
  const auto stepper = method.make();
  const auto* composition = dynamic_cast<const Composition*>(stepper.get());
  if (!composition) return 1;
  const auto [least, greatest] = std::ranges::minmax(composition->table().gamma);
  return std::max(-least, greatest);
}

TEST_CASE("a rotation by more than half a turn in one step or substep is rejected") {
  const double pi = 3.14159265358979;
  for_each_method([&](const MethodInfo& method) {
    const double length = 0.1 * longest_substep(method);
    for (double turn : {1.01 * pi, 1.5 * pi, 2 * pi, 7.0, 30.0}) {
      CAPTURE(turn);
      const Outcome outcome = failed_step(method, at_rest, 0.1, spinning(turn / length));
      CHECK(outcome.status == StepStatus::rejected);
      CHECK(outcome.message == "a rotation of more than half a turn in one step");
    }
    State x = spinning(0.98 * pi / length);
    CHECK(method.make()->do_step(group_system<SO3<>>(at_rest), x, 0, 0.1) == StepStatus::accepted);
  });
}

TEST_CASE("a spin that accelerates past half a turn within a step is rejected") {
  const auto motor = [](double, const SO3<>&, const Vec3&) { return Vec3(0, 80, 0); };
  CHECK(failed_step(*find_method("rkmk4"), motor, 0.3).status == StepStatus::rejected);
}

TEST_CASE("translations and angles of joints have no limit of half a turn") {
  const auto system =
      group_system<Rn<2>>([](double, const Rn<2>&, const Rn<2>::Tangent&) { return Rn<2>::Tangent(0, 0); });
  for_each_method([&](const MethodInfo& method) {
    State x = group_state(Rn<2>::identity(), Rn<2>::Tangent(1e4, -3e5));
    CHECK(method.make()->do_step(system, x, 0, 0.1) == StepStatus::accepted);
  });
}

TEST_CASE("the pole of v' = v^2 appears in the error estimate or as a value that is not finite") {
  // Odeint itself integrates past the pole without an error.
  const auto system = group_system<Rn<1>>(
      [](double, const Rn<1>&, const Rn<1>::Tangent& v) { return Rn<1>::Tangent(v.cwiseProduct(v)); });
  for (const std::string name : {"rkmk-ck54", "rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dopri8", "cf4"}) {
    CAPTURE(name);
    const auto stepper = find_method(name)->make();
    State x = group_state(Rn<1>::identity(), Rn<1>::Tangent::Constant(1));
    Vec error;
    const StepStatus status = stepper->do_step(system, x, 0, 1.5, &error);  // pole at t = 1
    if (status == StepStatus::accepted) CHECK(!(system.error_norm(x, error.head(1), error.tail(1)) < 1e-2));
  }
}

TEST_CASE("a nonlinear solve that stalls reports its residual") {
  const auto wall = [](double, const SO3<>&,
                       const Vec3& v) -> Vec3 {  // the force jumps across zero, so there is no root
    return v[0] > 0 ? Vec3(-1e3, 0, 0) : Vec3(1e3, 0, 0);
  };
  for (const std::string name : {"lie-midpoint", "generalized-alpha"}) {
    const Outcome outcome = failed_step(*find_method(name), wall, 0.1);
    CHECK(outcome.status == StepStatus::newton_failed);
    CHECK(outcome.message.find("Newton iterations") != std::string::npos);
  }
}

TEST_CASE("doubling passes on failures of its method") {
  const auto broken = [](double, const SO3<>&, const Vec3&) -> Vec3 { throw std::runtime_error("no"); };
  Doubling stepper(find_method("rkmk4")->make());
  State x = spinning(1);
  Vec error;
  CHECK(stepper.do_step(group_system<SO3<>>(broken), x, 0, 0.1, &error) == StepStatus::callback_failed);
  CHECK(stepper.message() == "no");
  CHECK(x.v == spinning(1).v);
}

TEST_CASE("error_norm is NaN where an argument is NaN") {
  const auto system = group_system<SO3<>>(at_rest);
  Vec xi = Vec::Zero(3), dv = Vec::Zero(3);
  for (int i = 0; i < 3; ++i) {
    xi[i] = not_a_number;
    CHECK(std::isnan(system.error_norm(spinning(1), xi, dv)));
    CHECK(std::isnan(system.error_norm(spinning(1), dv, xi)));
    xi[i] = 0;
  }
}

TEST_CASE("symplectic methods refuse a system without the form of Euler and Poincare") {
  for (const char* name : {"lie-verlet", "geodesic-verlet", "lie-verlet4"}) {
    CAPTURE(name);
    const Outcome outcome = failed_step(*find_method(name), at_rest, 0.1);
    CHECK(outcome.status == StepStatus::callback_failed);
    CHECK(outcome.message == "the system does not have the form of Euler and Poincare");
  }
}

TEST_CASE("methods that project on constraints refuse a system without constraints") {
  const auto free = group_system<SO3<>>(at_rest);
  for (const MethodInfo& method : methods()) {
    if (!method.takes(Treatment::index_1)) continue;
    CAPTURE(std::string(method.name));
    const auto stepper = method.make(Treatment::index_1);
    State x = spinning(1);
    CHECK(stepper->do_step(free, x, 0, 0.1) == StepStatus::callback_failed);
    CHECK(stepper->message() == stepper->why_unsuitable(free));
    CHECK(x.v == spinning(1).v);
  }
}
