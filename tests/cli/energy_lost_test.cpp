#include <doctest/doctest.h>

#include <optional>

#include "reference_run.hpp"
#include "run_system.hpp"
#include "sampler.hpp"
#include "work_system.hpp"

namespace torsor::test {
namespace {

/// A system whose steps keep their redundant rows: off the constraints these count as independent, and ask
/// for accelerations that are worthless.
class KeepsSpareRows final : public MechanismSystem {
 public:
  using MechanismSystem::MechanismSystem;
  void begin_step(double t, VecIn q) const override {
    all_.reset();
    MechanismSystem::begin_step(t, q);
    all_.emplace(*this);
  }
  bool end_step(double, VecIn) const override { return true; }

 private:
  mutable std::optional<AllRows> all_;
};

template <class System>
RunSummary summary_of(const Scene& scene) {
  const ReadyScene ready = make_model(scene);
  const System system(ready.model, mechanism_length(ready.model, ready.start.q));
  const std::vector<TrackedPoint> points;
  const SampleSink sink;
  Trajectory trajectory;
  sim::Sampler sampler(system, points, sink, trajectory);
  sim::run_system<sim::MechanismWork>(system, ready.start, scene.run, sampler, trajectory.summary);
  sampler.close();
  return trajectory.summary;
}

TEST_CASE("a run that leaves its motion does not end as reached-end") {
  struct Case {
    const char *name, *formulation, *step;
  };
  for (const Case& one : {Case{"bennett", "tree", "20 ms"}, Case{"bennett", "tree", "10 ms"},
                          Case{"bricard", "absolute", "20 ms"}, Case{"bricard", "absolute", "10 ms"}}) {
    CAPTURE(std::string(one.name));
    CAPTURE(std::string(one.step));
    const Scene scene = load_scene(scene_path(one.name), {{"integrator.method", "rkmk4"},
                                                          {"integrator.formulation", one.formulation},
                                                          {"integrator.step", one.step},
                                                          {"run.end", "1"},
                                                          {"run.output", "10 ms"}});
    CHECK(summary_of<MechanismSystem>(scene).status == StepStatus::reached_end);
    const RunSummary wrong = summary_of<KeepsSpareRows>(scene);
    CHECK(wrong.status == StepStatus::energy_lost);
    CHECK(to_string(wrong.status) == "energy-lost");
    CHECK(wrong.t == 1);
    CHECK(wrong.message.find("rkmk4: energy less work is off by ") == 0);
  }
}

}  // namespace
}  // namespace torsor::test
