// A four-bar linkage in coordinates passes its flat configuration, where its rows lose rank and two branches
// meet.
#include <doctest/doctest.h>

#include <cmath>

#include "torsor/coordinates/run.hpp"
#include "torsor/coordinates/system_of_fields.hpp"
#include "torsor/lie/elementary.hpp"

namespace torsor {
namespace {

/// The coordinates are the angles of crank, coupler and rocker. There are particles at the ends of crank and
/// rocker and at the middle of the coupler.
struct FlatFourBar : CoordinateFields {
  FlatFourBar(double crank_length, double coupler_length, double rocker_length, double ground_length)
      : CoordinateFields(3),
        crank(crank_length),
        coupler(coupler_length),
        rocker(rocker_length),
        ground(ground_length) {}

  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    Vec masses(6);
    masses << 1, 1, 2, 2, 1.5, 1.5;
    const auto places = [this]<class T>(const Vector<T>& at) {
      Vector<T> x(6);
      x << crank * cos(at[0]), crank * sin(at[0]), crank * cos(at[0]) + coupler / 2 * cos(at[1]),
          crank * sin(at[0]) + coupler / 2 * sin(at[1]), ground + rocker * cos(at[2]), rocker * sin(at[2]);
      return x;
    };
    return induced_event_metric(places, masses, e);
  }
  template <class S>
  Vector<S> positions(const Vector<S>& e) const {
    Vector<S> phi(2);
    phi << crank * cos(e[0]) + coupler * cos(e[1]) - ground - rocker * cos(e[2]),
        crank * sin(e[0]) + coupler * sin(e[1]) - rocker * sin(e[2]);
    return phi;
  }
  std::vector<std::string> row_names() const { return {"along", "across"}; }

  double crank, coupler, rocker, ground;
};

/// The consistent state nearest to these angles and to this rate of the crank.
State start_of(const ConstrainedSystem& system, const Vec3& angles, double rate) {
  State start;
  start.q = angles, start.v = Vec3(rate, 0, 0);
  system.project_position(0, start.q);
  system.project_velocity(0, start.q, start.v);
  return start;
}

/// The motion under the treatment of the options. The equations of the system are given this treatment; the
/// options of the run then name none.
Trajectory motion_of(const FlatFourBar& bar, const Vec3& angles, double rate, SimulationOptions options) {
  CoordinateOptions equations;
  equations.treatment = *options.constraints;
  options.constraints.reset();
  const SystemOfFields<FlatFourBar> system(bar, equations);
  return run(system, start_of(system, angles, rate), options);
}

SimulationOptions options_of(const char* method, Treatment treatment, double tolerance, double end) {
  SimulationOptions options;
  options.method = method, options.constraints = treatment, options.tolerance = tolerance;
  options.t_end = options.output_step = end;
  return options;
}

}  // namespace

TEST_CASE(
    "a parallelogram in coordinates keeps its branch where it lies flat, under index-1, minimal and "
    "dynamic") {
  const FlatFourBar bar(1, 2, 1, 2);
  for (const char* method : {"rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dop853"})
    for (const Treatment treatment : {Treatment::index_1, Treatment::minimal, Treatment::dynamic}) {
      CAPTURE(std::string(method));
      CAPTURE(to_string(treatment));
      const Trajectory motion = motion_of(bar, Vec3(1, 0, 1), 2, options_of(method, treatment, 1e-9, 5));
      CAPTURE(motion.summary.message);
      REQUIRE(motion.summary.status == StepStatus::reached_end);
      const Vec &start = motion.samples.front().x.q, &rates = motion.samples.front().x.v,
                &end = motion.samples.back().x.q;
      CHECK((end - start - 5 * rates).norm() < 1e-7);  // without forces, the rates are constant
    }
}

// With equal cranks the crank turns at a constant rate. The steps begin where the rows are far from a loss of
// rank, and have stages near the flat configuration.
TEST_CASE("fixed steps across the flat configuration keep their order in coordinates") {
  const FlatFourBar bar(1, 2, 1, 2);
  for (const double step : {0.031, 0.034, 0.037, 0.04, 0.043, 0.046}) {
    CAPTURE(step);
    SimulationOptions options = options_of("rkmk-dop853", Treatment::index_1, 1e-9, 0.4);
    options.tolerance.reset(), options.step = step;
    const Trajectory motion = motion_of(bar, Vec3(1, 0, 1), 8, options);
    REQUIRE_MESSAGE(motion.summary.status == StepStatus::reached_end, motion.summary.message);
    const State& start = motion.samples.front().x;
    CHECK(std::abs(motion.samples.back().x.q[0] - start.q[0] - 0.4 * start.v[0]) < 1e-9);
  }
}

// The crank of the kite is as long as the ground link, so the coupler can lie on the rocker, where two
// branches meet.
TEST_CASE(
    "where the branch of a kite in coordinates is in doubt, the run ends as singular and names the row") {
  const FlatFourBar kite(1, 0.8, 0.8, 1);
  const Vec3 near(1.4, 0.3, 2);
  const auto tight = options_of("rkmk-dop853", Treatment::index_1, 1e-11, 2);
  const Trajectory exact = motion_of(kite, near, 5, tight);
  REQUIRE(exact.summary.status == StepStatus::reached_end);
  int passed = 0;
  for (const char* method : {"rkmk-dopri5", "rkmk-dop853", "rkmk-fehlberg78"})
    for (const Treatment treatment : {Treatment::index_1, Treatment::minimal, Treatment::dynamic})
      for (const double tolerance : {1e-6, 1e-9}) {
        CAPTURE(std::string(method));
        CAPTURE(to_string(treatment));
        CAPTURE(tolerance);
        const Trajectory motion = motion_of(kite, near, 5, options_of(method, treatment, tolerance, 2));
        CAPTURE(motion.summary.message);
        if (treatment == Treatment::index_1) REQUIRE(motion.summary.status == StepStatus::reached_end);
        if (motion.summary.status == StepStatus::reached_end) {
          ++passed;
          CHECK((motion.samples.back().x.q - exact.samples.back().x.q).norm() < 1e-4);
          continue;
        }
        CHECK(motion.summary.status == StepStatus::singular);
        CHECK(motion.summary.message.find("the constraints nearly lose rank in \"a") != std::string::npos);
      }
  CHECK(passed > 8);
  CHECK(passed < 18);  // at least one run ends as singular
}

TEST_CASE(
    "an output in the flat configuration of a linkage in coordinates has no accelerations, and a note says "
    "so") {
  const FlatFourBar bar(1, 2, 1, 2);
  SimulationOptions options = options_of("rkmk-dop853", Treatment::index_1, 1e-9, 5);
  const Vec start = motion_of(bar, Vec3(1, 0, 1), 2, options).samples.front().x.v;
  const double flat = (std::acos(-1.) - 1) / start[0];
  options.output_step = 0;
  options.output_times = {0, flat, 5};
  const Trajectory motion = motion_of(bar, Vec3(1, 0, 1), 2, options);
  REQUIRE(motion.samples.size() == 3);
  CHECK(std::abs(motion.samples[1].x.q[0] - std::acos(-1.)) < 1e-8);
  CHECK(motion.samples[1].a.hasNaN());
  CHECK(motion.samples[1].multipliers.hasNaN());
  CHECK(motion.samples[2].a.allFinite());
  CHECK(motion.summary.note.find(
            "accelerations and constraint forces are not determined in 1 output, first where "
            "the constraints nearly lose rank in \"along\"") != std::string::npos);
}

TEST_CASE("a system and the options of its run cannot treat the constraints in two ways") {
  for (const auto& [own, asked] :
       {std::pair{Treatment::dynamic, Treatment::minimal}, std::pair{Treatment::dynamic, Treatment::index_1},
        std::pair{Treatment::index_1, Treatment::minimal}}) {
    CoordinateOptions equations;
    equations.treatment = own;
    const SystemOfFields<FlatFourBar> system(FlatFourBar(1, 2, 1, 2), equations);
    const State start = start_of(system, Vec3(1, 0, 1), 2);
    CHECK_THROWS_AS(run(system, start, options_of("rkmk-dopri5", asked, 1e-6, 1)), std::invalid_argument);
    SimulationOptions options = options_of("rkmk-dopri5", own, 1e-6, 0.1);
    CHECK(run(system, start, options).summary.status == StepStatus::reached_end);
  }
}

TEST_CASE("a second run of a system in coordinates has the same bits as a first run") {
  const FlatFourBar bar(1, 2, 1, 2);
  for (const Treatment treatment : {Treatment::index_1, Treatment::minimal, Treatment::dynamic}) {
    CoordinateOptions equations;
    equations.treatment = treatment;
    const SystemOfFields<FlatFourBar> once(bar, equations), twice(bar, equations);
    const State regular = start_of(once, Vec3(1, 0, 1), 2), flat = start_of(once, Vec3(0, 0, 0), 2);
    const SimulationOptions options = options_of("rkmk-dopri5", treatment, 1e-6, 0.5);
    run(twice, flat, options);
    const RunSummary first = run(once, regular, options).summary,
                     second = run(twice, regular, options).summary;
    CHECK(first.evaluations == second.evaluations);
    CHECK(first.x.q == second.x.q);
    CHECK(first.x.v == second.x.v);
  }
}

namespace {

/// A point in space on two surfaces that touch where x = 0: y = 0 and y + x z = 0. It moves along x.
struct TouchingSurfaces : CoordinateFields {
  TouchingSurfaces() : CoordinateFields(3) {}
  template <class S>
  Matrix<S> metric(const Vector<S>&) const {
    return Matrix<S>::Identity(4, 4);
  }
  template <class S>
  Vector<S> positions(const Vector<S>& e) const {
    Vector<S> phi(2);
    phi << e[1], e[1] + e[0] * e[2];
    return phi;
  }
  template <class S>
  Vector<S> force(const Vector<S>&, const Vector<S>&) const {
    Vector<S> f(3);
    f << 0, 0, 1;
    return f;
  }
  std::vector<std::string> row_names() const { return {"one", "other"}; }
};

}  // namespace

TEST_CASE("a run in coordinates ends as singular at a pivot growth above 1e13, as a run of bodies does") {
  const SystemOfFields<TouchingSurfaces> system{TouchingSurfaces()};
  const State start{Vec3(1, 0, 0), Vec3(-1, 0, 0), {}};
  SimulationOptions options;
  options.method = "rkmk4";
  for (const double left : {1e-6, 4e-7}) {  // x at the end of the run, where the growth is 3 / left^2
    options.t_end = 1 - left, options.step = options.t_end / 10;
    const RunSummary summary = run(system, start, options).summary;
    CAPTURE(summary.message);
    CHECK(summary.status == (left > 5e-7 ? StepStatus::reached_end : StepStatus::singular));
    CHECK(summary.message.empty() == (left > 5e-7));
    if (left < 5e-7)
      CHECK(summary.message.find("lose rank at t = 1 in \"other\": condition 1.") != std::string::npos);
  }
}

TEST_CASE("near a loss of rank, the power is that at the state of the acceleration") {
  const SystemOfFields<TouchingSurfaces> system{TouchingSurfaces()};
  system.choices().begin_run();
  system.choices().choose(0, Vec3(1, 0, 0));
  system.choices().choose(0, Vec3(0.1, 0, 0));
  REQUIRE(system.conditioning().condition() > 10);
  Vec q = Vec3(0.1, 0, 0), u = Vec3(-1, 0, 0.5), a(3);
  double power = 0;
  system.acceleration_and_power(0, q, u, a, power);
  CHECK(std::abs(power) < 1e-12);  // the force along z does no work at a velocity along x
}

}  // namespace torsor
