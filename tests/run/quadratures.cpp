#include <doctest/doctest.h>

#include <cmath>

#include "../model/some_forces.hpp"
#include "line_system.hpp"
#include "run/additions.hpp"
#include "run/make_stepper.hpp"
#include "torsor/system/consistent_start.hpp"
#include "torsor/system/mechanism_system.hpp"

using namespace torsor;

namespace {

/// The power of a system times a factor.
class Amplified final : public PoweredRows {
 public:
  Amplified(const PoweredRows& power, double factor) : power_(power), factor_(factor) {}
  bool conserves_energy() const override { return false; }
  void acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const override {
    power_.acceleration_and_power(t, q, v, a, power);
    power *= factor_;
  }
  double load_power(double t, VecIn q, VecIn v) const override {
    return factor_ * power_.load_power(t, q, v);
  }
  void row_offsets(double t, VecIn q, VecOut a0) const override {
    power_.row_offsets(t, q, a0);
    a0 *= factor_;
  }

 private:
  const PoweredRows& power_;
  double factor_;
};

/// A double pendulum with a spring, a damper and a drive in its second joint. Its joints are constraint rows.
Model damped_pendulum() {
  Body rod;
  rod.inertia = Vec3(0.1, 0.1, 0.01).asDiagonal();
  Mechanism pendulum;
  for (const char* name : {"first", "second"}) {
    rod.name = name;
    Joint joint;
    joint.name = name;
    joint.kind = JointKind::revolute;
    joint.child = static_cast<int>(pendulum.bodies.size());
    joint.parent = joint.child - 1;
    joint.X_CM.p = Vec3(0, -0.5, 0);
    if (joint.parent >= 0) joint.X_PF.p = Vec3(0, 0.5, 0);
    pendulum.bodies.push_back(rod);
    pendulum.joints.push_back(joint);
  }
  pendulum.forces = {{"gravity", UniformGravity{{0., -9.81, 0.}}},
                     {"damper", JointForce{1, 0, 30., 0., 0.4, test::wave(0.5, 2)}}};
  return Model(pendulum, Formulation::absolute);
}

struct Motion {
  StepStatus status = StepStatus::accepted;
  State x;
  double error = 0;
};

/// Three steps of a method, with the work of the amplified power as a quadrature.
Motion three_steps(const MethodInfo& method, const MechanismSystem& system, const State& start,
                   double factor) {
  const Amplified power(*system.power(), factor);
  const mechanics::ConstrainedWithAdditions with_work(system, &power);
  SimulationOptions options;
  options.method = method.name;
  const auto stepper = mechanics::make_method(method, with_work, options);
  if (stepper->why_unsuitable(with_work)) return {StepStatus::reached_end, {}, 0};
  Motion motion{StepStatus::accepted, mechanics::with_additions(with_work, start), 0};
  const int n = with_work.nv();
  Vec error = Vec::Zero(2 * n);
  for (int i = 0; i < 3 && motion.status == StepStatus::accepted; ++i) {
    with_work.choices().choose(0.05 * i, motion.x.q);
    motion.status = stepper->do_step(with_work, motion.x, 0.05 * i, 0.05, &error);
    motion.error = with_work.error_norm(motion.x, error.head(n), error.tail(n));
  }
  return motion;
}

}  // namespace

TEST_CASE("a quadrature of any size changes neither the motion nor the error estimate") {
  const Model model = damped_pendulum();
  Start start;
  start.bodies.resize(2);
  start.joints = {{Vec::Constant(1, 2.), Vec::Constant(1, 1.)},
                  {Vec::Constant(1, 0.4), Vec::Constant(1, 3.)}};
  const State x = consistent_start(model, start);
  const MechanismSystem system(model, 1);
  int compared = 0;
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const Motion plain = three_steps(method, system, x, 1), large = three_steps(method, system, x, 0x1p60);
    CHECK(plain.status == large.status);
    if (plain.status != StepStatus::accepted) continue;
    const Eigen::Index n = system.nv();
    CHECK(plain.x.q == large.x.q);
    CHECK(plain.x.v.head(n) == large.x.v.head(n));
    CHECK(plain.error == large.error);
    CHECK(plain.x.v[n] != 0);
    CHECK(large.x.v[n] == 0x1p60 * plain.x.v[n]);
    ++compared;
  }
  CHECK(compared > 15);
}

TEST_CASE("the default norm of errors leaves quadratures out") {
  class WithQuadrature final : public LineSystem {
   public:
    WithQuadrature() : LineSystem(2, {}) {}
    int nq() const override { return 1; }
    int quadratures() const override { return 1; }
  };
  const State x{Vec::Zero(1), Vec::Zero(2), {}};
  CHECK(WithQuadrature().error_norm(x, Vector<double, 2>(0.1, 0), Vector<double, 2>(0.2, 7)) == 0.2);
}

TEST_CASE("the norm of errors is NaN if the error of the motion or of one own state is NaN") {
  class WithStates final : public LineSystem, public OwnStates {
   public:
    WithStates() : LineSystem(1, {}) {}
    const OwnStates* own_states() const override { return this; }
    int count() const override { return 2; }
    void set(VecIn) const override {}
    void rates(double, VecIn, VecIn, VecOut out) const override { out.setZero(); }
  };
  const WithStates motion;
  const mechanics::FreeWithAdditions with_states(motion, nullptr);
  const State x{Vec::Zero(1), Vec::Zero(3), {}};
  const Vec none = Vec::Zero(3);
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    Vec error = Vec::Constant(3, 0.1);
    error[i] = std::nan("");
    CHECK(std::isnan(with_states.error_norm(x, none, error)));
  }
}
