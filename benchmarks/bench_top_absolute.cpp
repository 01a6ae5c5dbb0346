// Measures the cost of one second of motion of the heavy top as a constrained system: absolute coordinates,
// with three constraint rows for the pivot. Generalized-alpha, explicit methods with projection and the
// half-explicit method hemk5 are compared with IDA on the same motion. Counters at 1 s: `error`, m, of the
// mass centre; for generalized-alpha also `error_v`, m/s, of the velocity of the mass centre, and
// `error_lambda`, N, of the force in the pivot.
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <cmath>

#include "heavy_top.hpp"
#include "peers/peers.hpp"
#include "run.hpp"
#include "torsor/integrators/generalized_alpha.hpp"
#include "torsor/system/consistent_start.hpp"
#include "torsor/system/reactions.hpp"

namespace {

using namespace torsor;

/// At 1 s: velocity of the mass centre, m/s, and force of the pivot on the top, N, in world axes. They are as
/// accurate as the reference of the mass centre in heavy_top.hpp.
const Vec3 exact_v(0.5708253034254871, -4.588728296334952, -3.7919551547100423);
const Vec3 exact_lambda(-517.6007394769, -396.8431014895542, 404.57492516288465);

struct Top {
  Mechanism mechanism;
  Start start;

  explicit Top(GroupProduct group) {
    const auto& J = bench::top_inertia;
    Body body;
    body.name = "top", body.mass = 15, body.group = group;
    body.inertia = Vec3(J[0] - 15, J[1], J[2] - 15).asDiagonal();
    Joint pivot;
    pivot.name = "pivot", pivot.kind = JointKind::spherical;
    pivot.X_CM.p = Vec3(0, -1, 0);
    mechanism.bodies = {body}, mechanism.joints = {pivot};
    mechanism.forces = {{"gravity", UniformGravity{}}};
    BodyStart at;
    at.x = Vec3(0, 1, 0), at.R = SO3<>();
    at.v_W = bench::top_spin().cross(*at.x), at.Omega = bench::top_spin();
    start.bodies = {at};
  }
};

void report(benchmark::State& bench, const MechanismSystem& system, const RunSummary& summary) {
  const Model& model = system.model();
  const State& x = summary.x;
  bench.counters["error"] = (bench::mass_centres(model, x)[0] - bench::top_centre()).norm();
  bench.counters["steps"] = static_cast<double>(summary.accepted);
  Vec lambda(system.rows());
  if (!GeneralizedAlpha().multipliers(x, lambda)) return;
  Workspace<double> work(model);
  forward_kinematics(model, x.q, x.v, work);
  std::vector<Wrench> on_links(1);
  reactions(system, summary.t, x.q, x.v, lambda, on_links);
  bench.counters["error_v"] = (work.v_WB[0] - exact_v).norm();
  bench.counters["error_lambda"] = (on_links[0].force - exact_lambda).norm();
}

void ours(benchmark::State& bench, GroupProduct group, const SimulationOptions& options) {
  const Top top(group);
  const Model model(top.mechanism, Formulation::absolute);
  const State start = consistent_start(model, top.start);
  const MechanismSystem system(model, LinkLengths(model, start.q));
  try {
    RunSummary summary;
    for (auto _ : bench) summary = bench::carry(system, start, options, bench::top_end);
    report(bench, system, summary);
  } catch (const std::runtime_error& failure) {
    bench.SkipWithError(failure.what());
  }
}

void theirs(benchmark::State& bench, double tolerance) {
  const auto peer = peers::ida({}, tolerance);
  if (!peer) return bench.SkipWithError("not built in");
  for (auto _ : bench) {
    peer->reset();
    peer->run(bench::top_end);
  }
  const auto c = peer->centre(0);
  bench.counters["error"] = (Vec3(c[0], c[1], c[2]) - bench::top_centre()).norm();
}

void add(const std::string& name, auto... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), arguments...)->Unit(benchmark::kMillisecond);
}

std::string number(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

void add_alpha(const std::string& label, GroupProduct group, SimulationOptions options) {
  options.method = "generalized-alpha";
  add("generalized-alpha/" + label + " h=" + number(*options.step), ours, group, options);
}

/// Adds generalized-alpha with its default form and damping for several step sizes, then with every
/// combination of form and damping at the greatest step size.
void add_alphas(const std::string& label, GroupProduct group) {
  SimulationOptions options;
  for (int steps = 1000; steps <= 16000; steps *= 2) {
    options.step = bench::top_end / steps;
    add_alpha(label, group, options);
  }
  options.step = 1e-3;
  for (const Treatment form : {Treatment::index_2, Treatment::index_3, Treatment::stabilised_index_2})
    for (const double rho : {0., 0.5, 0.9, 0.95, 1.}) {
      options.constraints = form, options.spectral_radius = rho;
      add_alpha(label + " " + std::string(to_string(form)) + " rho=" + number(rho), group, options);
    }
}

void add_explicit(const std::string& label, GroupProduct group) {
  SimulationOptions options;
  for (const char* method : {"rkmk-dopri5", "rkmk-ck54", "rkmk-dopri8", "hemk5"}) {
    options.method = method;
    for (const double digits : {4., 5., 6., 7., 8.}) {
      options.tolerance = std::pow(10., -digits);
      add(std::string(method) + "/" + label + " tol=" + number(*options.tolerance), ours, group, options);
    }
  }
}

void add_all() {
  for (const auto& [label, group] :
       {std::pair("direct", GroupProduct::direct), std::pair("semidirect", GroupProduct::semidirect)}) {
    add_explicit(label, group);
    add_alphas(label, group);
  }
  for (const double digits : {5., 6., 7., 8., 9.})
    add("ida/ggl tol=" + number(std::pow(10., -digits)), theirs, std::pow(10., -digits));
}

}  // namespace

int main(int argc, char** argv) {
  add_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
