// A four-bar linkage in coordinates passes its flat configuration, where its rows lose rank and two branches meet.
#include <doctest/doctest.h>

#include <cmath>

#include "torsor/coordinates/run.hpp"
#include "torsor/coordinates/system_of_fields.hpp"
#include "torsor/lie/elementary.hpp"

namespace torsor {
namespace {

/// The angles of crank, coupler and rocker, with particles at the ends of crank and rocker and amid the coupler.
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

/// The motion from the start nearest to these angles and to this rate of the crank.
Trajectory motion_of(const FlatFourBar& bar, const Vec3& angles, double rate,
                     const SimulationOptions& options) {
  CoordinateOptions equations;
  equations.treatment = *options.constraints;
  const SystemOfFields<FlatFourBar> system(bar, equations);
  State start;
  start.q = angles, start.v = Vec3(rate, 0, 0);
  system.project_position(0, start.q);
  system.project_velocity(0, start.q, start.v);
  return run(system, start, options);
}

SimulationOptions options_of(const char* method, Treatment treatment, double tolerance, double end) {
  SimulationOptions options;
  options.method = method, options.constraints = treatment, options.tolerance = tolerance;
  options.t_end = options.output_step = end;
  return options;
}

}  // namespace

TEST_CASE("a parallelogram in coordinates keeps its branch where it lies flat, under every treatment") {
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

// The crank of the kite is as long as the ground link, so the coupler can lie on the rocker, where two branches meet.
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

}  // namespace torsor
