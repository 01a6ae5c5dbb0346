#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "constrained_bodies.hpp"
#include "integrators/doubling.hpp"
#include "observed_order.hpp"
#include "run.hpp"
#include "torsor/integrators/generalized_alpha.hpp"
#include "torsor/integrators/group_system.hpp"
#include "torsor/lie/rn.hpp"

using namespace torsor;
using namespace torsor::test;
using Group = ConstrainedBodies::Group;

namespace {

constexpr Treatment forms[] = {Treatment::index_2, Treatment::stabilised_index_2, Treatment::index_3};

/// Distance of the mass centre of the heavy top from its reference at t = 1 s, m.
double top_error(const State& x) {
  return (x.q.head<3>() - Vec3(0.17334396409838604, 0.64008859207056879, -0.74849079113358131)).norm();
}

}  // namespace

TEST_CASE("generalized-alpha integrates the fast top at h = 1e-3 s for every spectral radius") {
  for (const Group group : {Group::direct, Group::semidirect}) {
    const Top top(group);
    for (const Treatment form : forms) {
      for (const double rho : {0., 0.3, 0.6, 0.9, 0.95, 1.}) {
        if (form == Treatment::index_3 && rho > 0.95) continue;
        CAPTURE(group == Group::direct);
        CAPTURE(std::string(to_string(form)));
        CAPTURE(rho);
        GeneralizedAlpha stepper(rho, form);
        const State x = run(stepper, top, top.start(), 0, 1, 1000);
        CHECK(top_error(x) < (group == Group::direct ? 0.02 : 0.45));
        if (rho == 0.9 && group == Group::direct) CHECK(top_error(x) < 8e-3);
      }
    }
  }
}

TEST_CASE("generalized-alpha with its default parameters has an error below 1.5e-3 m on the fast top") {
  const Top top(Group::direct);
  const auto stepper = find_method("generalized-alpha")->make(Treatment::index_2);
  CHECK(top_error(run(*stepper, top, top.start(), 0, 1, 1000)) < 1.5e-3);
  CHECK(stepper->evaluations() < 6000);  // few iterations suffice with the matrix of the index-1 equations
}

TEST_CASE("generalized-alpha has order 2 with step sizes that vary") {
  const Top top(Group::semidirect, 0.1);
  const State x = top.start(10);
  const auto reference = find_method("rkmk-fehlberg78")->make(Treatment::index_1);
  const State end = run(*reference, top, x, 0, 0.6, 600);
  Vec a(6), exact(3), lambda(3);
  top.acceleration(0.6, end.q, end.v, a, exact);
  for (const Treatment form : forms) {
    CAPTURE(std::string(to_string(form)));
    const auto at = [&](int n, bool multipliers) {
      GeneralizedAlpha stepper(0.8, form);
      State y = x;
      double t = 0;
      for (int i = 0; i < n; ++i) {
        const double h = 0.6 / n * (i % 3 == 0 ? 1.5 : 0.75);
        REQUIRE(stepper.do_step(top, y, t, h) == StepStatus::accepted);
        t += h;
      }
      REQUIRE(stepper.multipliers(y, lambda));
      return multipliers ? (lambda - exact).norm() : distance(top, y, end);
    };
    for (const bool multipliers : {false, true}) {
      const auto observed = observed_order([&](int n) { return at(n, multipliers); }, 96, 4);
      CAPTURE(multipliers);
      CAPTURE(observed.text());
      CHECK(observed.slope > 1.85);
    }
  }
}

TEST_CASE("generalized-alpha evaluates forces only within its steps") {
  const auto pushed =
      group_system<Rn<1>>([](double t, const Rn<1>&, const Rn<1>::Tangent&) -> Rn<1>::Tangent {
        if (!(0 <= t && t <= 1)) throw std::domain_error("the force is known from 0 to 1 only");
        return Rn<1>::Tangent::Constant(3 * t * t);
      });
  for (const double rho : {0., 0.5, 0.9, 1.}) {
    CAPTURE(rho);
    GeneralizedAlpha stepper(rho);
    State x = group_state(Rn<1>(), Rn<1>::Tangent::Constant(1));
    for (int i = 0; i < 64; ++i)
      REQUIRE(stepper.do_step(pushed, x, i / 64., 1 / 64.) == StepStatus::accepted);
    CHECK(std::abs(x.v[0] - 2) < 1e-3);
  }
}

TEST_CASE("doubling estimates the error of a step") {
  const Chain chain(Group::semidirect);
  const double h = 1. / 64;
  for (const Treatment form : forms) {
    CAPTURE(std::string(to_string(form)));
    Doubling stepper(find_method("generalized-alpha")->make(form));
    State x = chain.start();
    Vec error;
    const auto reference = find_method("rkmk-fehlberg78")->make(Treatment::index_1);
    REQUIRE(stepper.do_step(chain, x, 0, h, &error) == StepStatus::accepted);
    const State exact = run(*reference, chain, chain.start(), 0, h, 4);
    const double truth = distance(chain, x, exact), foretold = greatest(error);
    CHECK(foretold > 0.3 * truth);
    CHECK(foretold < 5 * truth);
  }
}

TEST_CASE("generalized-alpha refuses parameters without order 2 or stability") {
  const auto good = GeneralizedAlpha::Parameters::with_radius(0.7);
  CHECK(!good.why_invalid());
  auto bad = good;
  bad.gamma += 0.1;
  CHECK(*bad.why_invalid() == "order 2 needs gamma = 1/2 + alpha_f - alpha_m");
  bad = good;
  bad.beta = 0.1;
  CHECK(*bad.why_invalid() == "stability needs beta >= 1/4 + (alpha_f - alpha_m)/2");
}

TEST_CASE("a step whose equations cannot be solved reports its residual and leaves the state unchanged") {
  class Wall final : public ConstrainedBodies {
   public:
    Wall() : ConstrainedBodies(Group::direct, {1}, {Vec3(1, 1, 1)}, {1}) {}

   private:
    void load(double, const BodyMotion& body, int, Vec3& force, Vec3& torque) const override {
      force = Vec3(0, 0, body.x_dot[2] > 0 ? -1e3 : 1e3);  // jumps across zero, so there is no root
      torque.setZero();
    }
    void row(double, const std::vector<BodyMotion>& bodies, int, Row& out) const override {
      out.linear[0] = Vec3(1, 0, 0);
      out.phi = bodies[0].x[0];
    }
  };
  const Wall wall;
  const State start = wall.state({{Vec3(0, 0, 0), Mat3::Identity(), Vec3(0, 0, 0), Vec3(0, 0, 0)}});
  for (const Treatment form : forms) {
    State x = start;
    GeneralizedAlpha stepper(0.9, form);
    CHECK(stepper.do_step(wall, x, 0, 0.1) == StepStatus::newton_failed);
    CHECK(stepper.message().find("of the dynamics and") != std::string::npos);
    CHECK(stepper.message().find("after 20 Newton iterations") != std::string::npos);
    CHECK(x.q == start.q);
    CHECK(x.v == start.v);
  }
}
