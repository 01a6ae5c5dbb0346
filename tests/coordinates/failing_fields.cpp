// Systems in coordinates whose fields have values of a wrong size, or throw.
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "torsor/coordinates/run.hpp"
#include "torsor/coordinates/system_of_fields.hpp"
#include "torsor/lie/elementary.hpp"

namespace torsor {

namespace {

/// Two coordinates in which one field has a value of the wrong size.
struct WrongSize : CoordinateFields {
  explicit WrongSize(std::string field) : CoordinateFields(2), wrong(std::move(field)) {}
  std::string wrong;
  Eigen::Index size_of(const std::string& field, Eigen::Index right) const {
    return wrong == field ? right - 1 : right;
  }
  template <class S>
  CoordinateFields::Matrix<S> metric(const CoordinateFields::Vector<S>&) const {
    return CoordinateFields::Matrix<S>::Identity(size_of("metric", 3), size_of("metric", 3));
  }
  template <class S>
  CoordinateFields::Vector<S> force(const CoordinateFields::Vector<S>&,
                                    const CoordinateFields::Vector<S>&) const {
    return CoordinateFields::Vector<S>::Constant(size_of("force", 2), S(1));
  }
  template <class S>
  CoordinateFields::Matrix<S> velocities(const CoordinateFields::Vector<S>&) const {
    return CoordinateFields::Matrix<S>::Identity(size_of("velocities", 2), size_of("velocities", 2));
  }
  template <class S>
  CoordinateFields::Vector<S> positions(const CoordinateFields::Vector<S>& e) const {
    const Eigen::Index count = wrong == "positions" && real_part(e[2]) > 0 ? 2 : 1;
    return CoordinateFields::Vector<S>::Constant(count, e[0]);
  }
  template <class S>
  CoordinateFields::Matrix<S> rows(const CoordinateFields::Vector<S>&) const {
    CoordinateFields::Matrix<S> A = CoordinateFields::Matrix<S>::Constant(1, size_of("rows", 3), S(0));
    A(0, 1) = S(1);
    return A;
  }
  template <class S>
  CoordinateFields::Vector<S> friction(const CoordinateFields::Vector<S>&) const {
    return CoordinateFields::Vector<S>::Constant(size_of("friction", 1), S(1));
  }
};

}  // namespace

namespace {

struct Asymmetric : CoordinateFields {
  Asymmetric() : CoordinateFields(2) {}
  template <class S>
  CoordinateFields::Matrix<S> metric(const CoordinateFields::Vector<S>& e) const {
    CoordinateFields::Matrix<S> M = CoordinateFields::Matrix<S>::Identity(3, 3);
    M(1, 0) = S(0.5) * torsor::cos<S>(e[0]);
    return M;
  }
};

}  // namespace

TEST_CASE("a metric that is not symmetric ends the run") {
  const SystemOfFields<Asymmetric> system{Asymmetric()};
  const Trajectory motion = run(system, {Vec::Zero(2), Vec::Zero(2), {}}, {});
  CHECK(motion.summary.status == StepStatus::callback_failed);
  CHECK(motion.summary.message.find("the metric is not symmetric: row 2 has 0.5 in column 1, row 1 has 0 in "
                                    "column 2") != std::string::npos);
}

TEST_CASE("a field whose value has the wrong size ends the run, and the message names the field") {
  const State start{Vec::Zero(2), Vec::Zero(2), {}};
  const auto message = [&](const std::string& field, Treatment treatment) {
    CoordinateOptions options;
    options.equations = CoordinateEquations::hamel;
    options.treatment = treatment;
    const SystemOfFields<WrongSize> system(WrongSize(field), options);
    const Trajectory motion = run(system, start, {});
    CHECK(motion.summary.status == (field == "none" ? StepStatus::reached_end : StepStatus::callback_failed));
    return motion.summary.message;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  message("none", Treatment::index_1);
  message("none", Treatment::viscous);
  has(message("metric", Treatment::index_1),
      "the value of the field \"metric\" has 2 x 2 components instead of 3 x 3");
  has(message("force", Treatment::index_1),
      "the value of the field \"force\" has 1 x 1 components instead of 2 x 1");
  has(message("velocities", Treatment::index_1),
      "the value of the field \"velocities\" has 1 x 1 components instead of 2 x 2");
  has(message("rows", Treatment::index_1),
      "the value of the field \"rows\" has 1 x 2 components instead of 1 x 3");
  has(message("friction", Treatment::viscous),
      "the value of the field \"friction\" has 0 x 1 components instead of 1 x 1");
  has(message("positions", Treatment::index_1),
      "the value of the field \"positions and rows\" has 3 x 3 components instead of 2 x 3");
}

namespace {

struct ThrowingMetric : CoordinateFields {
  ThrowingMetric() : CoordinateFields(1) {}
  template <class S>
  CoordinateFields::Matrix<S> metric(const CoordinateFields::Vector<S>&) const {
    throw std::runtime_error("no metric here");
  }
};

}  // namespace

TEST_CASE("a field that throws at the start ends the run, whose only sample is the start") {
  for (const Treatment treatment : {Treatment::index_1, Treatment::minimal}) {
    CoordinateOptions options;
    options.treatment = treatment;
    const SystemOfFields<ThrowingMetric> system(ThrowingMetric(), options);
    SimulationOptions of_run;
    of_run.constraints = treatment;
    const Trajectory motion = run(system, {Vec::Ones(1), Vec::Ones(1), {}}, of_run);
    CHECK(motion.summary.status == StepStatus::callback_failed);
    CHECK_MESSAGE(motion.summary.message.ends_with("no metric here"), motion.summary.message);
    REQUIRE(motion.samples.size() == 1);
    CHECK(motion.samples[0].x.q[0] == 1);
    CHECK(std::isnan(motion.samples[0].a[0]));
  }
}

namespace {

/// Two rows that contradict each other. The second row has no name.
struct OneName : CoordinateFields {
  OneName() : CoordinateFields(2) {}
  template <class S>
  CoordinateFields::Matrix<S> metric(const CoordinateFields::Vector<S>&) const {
    return CoordinateFields::Matrix<S>::Identity(3, 3);
  }
  template <class S>
  CoordinateFields::Matrix<S> rows(const CoordinateFields::Vector<S>&) const {
    CoordinateFields::Matrix<S> A(2, 3);
    A << S(1), S(0), S(-1), S(1), S(0), S(-2);
    return A;
  }
  std::vector<std::string> row_names() const { return {"one"}; }
};

}  // namespace

TEST_CASE("a row without a name in a list that is too short has its index in messages") {
  const SystemOfFields<OneName> system{OneName()};
  const Vec q = Vec::Zero(2);
  Vec u = Vec::Zero(2);
  CHECK_THROWS_WITH_AS(system.project_velocity(0, q, u), "constraint row 1 contradicts the others by 1.0e+00",
                       EvaluationError);
}

}  // namespace torsor
