#include "torsor/sim/consistent_start.hpp"

#include <doctest/doctest.h>

#include "constrained.hpp"
#include "torsor/sim/mechanism_system.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

std::string refusal(const Model& model, const Start& start, Consistency consistency = Consistency::error) {
  try {
    consistent_start(model, start, 0, consistency);
  } catch (const StartError& error) {
    return error.what();
  }
  return "accepted";
}

VelocityLaw::Term joint_rate() {
  VelocityLaw::Term term;
  term.quantity = VelocityLaw::Term::Quantity::joint_rate;
  return term;
}

double residual(const Model& model, const State& x, double t = 0) {
  const MechanismSystem system(model, 1);
  Vec phi(system.rows()), psi(system.rows());
  system.position_residual(t, x.q, phi);
  system.velocity_residual(t, x.q, x.v, psi);
  return std::max(phi.lpNorm<Eigen::Infinity>(), psi.lpNorm<Eigen::Infinity>());
}

}  // namespace

TEST_CASE("what is not given is solved for: a four-bar from its crank alone") {
  const FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  Start start;
  start.bodies.resize(3), start.joints.resize(4);
  start.joints[0] = {.q = Vec::Constant(1, 0.6), .v = Vec::Constant(1, 4.6)};
  start.joints[1].q = {}, start.joints[2].q = {};
  const Model model(bar.mechanism);
  const State x = consistent_start(model, start);
  CHECK(x.q[0] == doctest::Approx(0.6).epsilon(1e-14));
  CHECK(x.v[0] == doctest::Approx(4.6).epsilon(1e-14));
  CHECK(residual(model, x) < 1e-13);
}

TEST_CASE("a start that does not fit is refused with each residual, or projected and told") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.mechanism.joints[3].X_PF.p[0] += 0.01;  // the ground pivot stands 1 cm further out
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(bar.mechanism, formulation);
    CHECK(refusal(model, bar.start) ==
          "joint \"D\": the start positions miss it by 0.01 m; consistent = \"project\" would move the start "
          "to the "
          "nearest state that fits");
    std::vector<std::string> notes;
    const State x = consistent_start(model, bar.start, 0, Consistency::project, &notes);
    CHECK(residual(model, x) < 1e-13);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].substr(0, 58) == "the start was moved onto the constraints: bodies by up to ");
  }
}

TEST_CASE("velocities that do not fit are refused with their residual") {
  FourBar bar(0.5, 0.8, 0.5, 0.8, 1.1);
  for (BodyStart& body : bar.start.bodies) body.v_W = Vec3::Zero(), body.omega_W = Vec3::Zero();
  bar.start.bodies[2].omega_W = Vec3(0, 0, 1);
  bar.start.bodies[2].v_W = Vec3(-0.25 * std::sin(1.1), 0.25 * std::cos(1.1), 0);
  bar.start.bodies[1].v_W = 2 * *bar.start.bodies[2].v_W;
  const Model model(bar.mechanism, Formulation::tree, {1});
  CHECK(refusal(model, bar.start) ==
        "joint \"B\": the start velocities miss it by 0.5 m/s; consistent = \"project\" would move the "
        "start to the "
        "nearest state that fits");
}

TEST_CASE("what is given of a joint that closes a loop must be what comes out") {
  FourBar bar(0.3, 0.9, 0.7, 0.8, 0.6);
  bar.start.joints.resize(4);
  bar.start.joints[3].q = Vec::Constant(1, 0.5);
  const std::string text = refusal(Model(bar.mechanism), bar.start);
  CHECK(text.substr(0, 54) == "joint \"D\": its coordinate is 0.5 by what is given and ");
}

TEST_CASE("contradictory rows are refused by name") {
  FourBar bar(0.5, 0.8, 0.5, 0.8, 1.1);
  bar.mechanism.constraints = {{"fast", VelocityLaw{{joint_rate()}, 1.}},
                               {"slow", VelocityLaw{{joint_rate()}, 0.5}}};
  for (const auto consistency : {Consistency::error, Consistency::project})
    CHECK(refusal(Model(bar.mechanism), bar.start, consistency) ==
          "constraint \"fast\": the start velocities miss it by 0.25 rad/s\n"
          "constraint \"slow\": the start velocities miss it by 0.25 rad/s; no start meets all of them");
}
