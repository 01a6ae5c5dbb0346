#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "coordinate_scenes.hpp"

// Connections of scenes in coordinates: the canonical connections of a frame, the weakly compatible family,
// and affinities and frames that the scene gives. In spherical motion R = Rz(phi) Rx(theta) Rz(psi).
namespace torsor::test {
namespace {

const std::string spherical = "spherical_motion_313";
const std::string names[] = {"phi", "theta", "psi"};
using Tensor = geometry::Tensor3<double, 3>;

scene::Overrides connection(const std::string& value, scene::Overrides others = {}) {
  others.emplace_back("chart.connection", value);
  return others;
}

/// The message that refuses a connection of spherical motion.
std::string refusal(const std::string& value, const scene::Overrides& others = {}) {
  try {
    scene::load_scene(scene_path(spherical), connection(value, others));
  } catch (const scene::SceneError& error) {
    REQUIRE(error.diagnostics.size() == 1);
    return error.diagnostics.front().message;
  }
  return "";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The canonical connection of the body axes in coordinates; `factor` multiplies "phi, theta -> psi".
std::string canonical_affinities(const std::string& factor = "1") {
  return "{frame = \"coordinates\", affinities = {\"phi, theta -> phi\" = \"1/tan(theta)\", \"theta, psi -> "
         "psi\" = "
         "\"1/tan(theta)\", \"phi, theta -> psi\" = \"" +
         factor +
         "*(-1/sin(theta))\", \"theta, psi -> phi\" = \"-1/sin(theta)\", \"phi, psi -> theta\" = "
         "\"sin(theta)\"}}";
}

/// Omega = T q' in body axes.
Mat3 body_axes(const Vec& q) {
  const double s = std::sin(q[1]), c = std::cos(q[1]);
  Mat3 T;
  T << s * std::sin(q[2]), std::cos(q[2]), 0, s * std::cos(q[2]), -std::sin(q[2]), 0, c, 0, 1;
  return T;
}
Mat3 attitude(const Vec& q) {
  using Eigen::AngleAxisd;
  return (AngleAxisd(q[0], Vec3::UnitZ()) * AngleAxisd(q[1], Vec3::UnitX()) * AngleAxisd(q[2], Vec3::UnitZ()))
      .toRotationMatrix();
}
double epsilon(int k, int i, int j) { return (i - j) * (j - k) * (k - i) / 2.; }

/// The components in coordinates of the tensor with the components f(k, i, j) in body axes.
template <class Function>
Tensor in_coordinates(const Mat3& T, const Function& f) {
  const Mat3 B = T.inverse();
  Tensor t;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int c = 0; c < 3; ++c)
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) t(k, i, j) += B(k, c) * f(c, a, b) * T(a, i) * T(b, j);
  return t;
}

CoordinateCurves follow(const std::string& scene_name, const scene::Overrides& overrides,
                        const CurveRequest& request) {
  const scene::Scene scene = scene::load_scene(scene_path(scene_name), overrides);
  return coordinate_curves(scene, scene.run.t_begin, scene.in_coordinates->start, request);
}
const Autoparallel& of(const CoordinateCurves& curves, const std::string& name) {
  for (const Autoparallel& one : curves.autoparallels)
    if (one.connection == name) return one;
  FAIL("no autoparallel of " << name);
  return curves.autoparallels.front();
}
const Transport& along_motion(const CoordinateCurves& curves, const std::string& name) {
  for (const Transport& one : curves.along_motion)
    if (one.connection == name) return one;
  FAIL("no transport by " << name);
  return curves.along_motion.front();
}

}  // namespace

// A sphere has a bi-invariant metric, so that all three canonical connections give its motion.
TEST_CASE(
    "the canonical connections (-), (0), (+) of a sphere have torsion -c, 0, c; only (0) has curvature") {
  const std::pair<const char*, double> members[] = {
      {"canonical-minus", -1}, {"canonical-zero", 0}, {"canonical-plus", 1}, {"canonical", 1}};
  Vec end;
  for (const auto& [name, sign] : members) {
    CAPTURE(name);
    const scene::Overrides overrides = connection(name, {{"chart.definitions.J", "1.7"}});
    const CoordinateReport report = report_of(spherical, overrides);
    CHECK(report.connection == name);
    CHECK(report.weak < 1e-14);
    const Mat3 T = body_axes(scene::load_scene(scene_path(spherical)).in_coordinates->start.q),
               B = T.inverse();
    const Tensor t =
        in_coordinates(T, [sign = sign](int k, int i, int j) { return sign * epsilon(k, i, j); });
    for (int i = 0; i < 3; ++i)
      for (int j = i + 1; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          CHECK(std::abs(component(report.torsion, names[i] + ", " + names[j] + " -> " + names[k]) -
                         t(k, i, j)) < 1e-12);
    CHECK(report.torsion.empty() == (sign == 0));
    CHECK(report.curvature.empty() == (sign != 0));
    CHECK(report.non_metricity.empty());
    // R(e_k, e_l) e_j = -[[e_k, e_l], e_j] / 4.
    for (int k = 0; k < 3 && sign == 0; ++k)
      for (int l = k + 1; l < 3; ++l)
        for (int j = 0; j < 3; ++j) {
          const Vec3 expected = -0.25 * B * Vec3(T.col(k)).cross(Vec3(T.col(l))).cross(Vec3(T.col(j)));
          for (int i = 0; i < 3; ++i)
            CHECK(std::abs(component(report.curvature,
                                     names[k] + ", " + names[l] + ": " + names[j] + " -> " + names[i]) -
                           expected[i]) < 1e-12);
        }
    const Motion motion = run_coordinates(spherical, overrides);
    if (end.size() == 0) end = motion.last().x.q;
    CHECK(difference(motion.last().x.q, end) < 1e-8);
  }
}

TEST_CASE("canonical (-) and (0) are refused for a body that is not a sphere, and so is a wrong affinity") {
  for (const char* name : {"canonical-minus", "canonical-zero"})
    CHECK(has(refusal(name), std::string("the connection \"") + name + "\" does not give the motion"));
  CHECK(refusal(canonical_affinities()).empty());
  const std::string wrong = refusal(canonical_affinities("-1"));
  CAPTURE(wrong);
  CHECK(has(wrong, "\"phi, theta -> psi\" is 1.12207 there and would have to be -1.12207"));
  CHECK_FALSE(has(wrong, "other affinities"));
  // A component that is left out is 0, and is reported in the same way.
  CHECK(has(refusal(canonical_affinities("0")),
            "\"phi, theta -> psi\" is 0 there and would have to be -1.12207"));
}

TEST_CASE("affinities of the canonical connection in 3-1-3 angles give its geometry and its motion") {
  const scene::Overrides own = connection(canonical_affinities());
  const CoordinateReport a = report_of(spherical, own), b = report_of("spherical_motion_313_canonical");
  CHECK(a.connection == "affinities");
  using List = std::vector<NamedComponent> CoordinateReport::*;
  for (const List list : {&CoordinateReport::affinities, &CoordinateReport::torsion,
                          &CoordinateReport::curvature, &CoordinateReport::non_metricity}) {
    REQUIRE((a.*list).size() == (b.*list).size());
    for (const NamedComponent& one : b.*list)
      CHECK(std::abs(component(a.*list, one.name) - one.value) < 1e-14);
  }
  const Motion mine = run_coordinates(spherical, own),
               canonical = run_coordinates("spherical_motion_313_canonical");
  CHECK(difference(mine.first().a, canonical.first().a) < 1e-14);
  CHECK(difference(mine.last().x.q, canonical.last().x.q) < 1e-9);
}

TEST_CASE("any sigma leaves the motion unchanged, and changes torsion, curvature and non-metricity") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-3, 3);
  const Motion plain = run_coordinates(spherical);
  for (const char* base : {"christoffel", "canonical-plus"})
    for (const char* frame : {"coordinates", "quasi-velocities"}) {
      CAPTURE(base);
      CAPTURE(frame);
      const bool coordinates = std::string(frame) == "coordinates";
      if (coordinates && std::string(base) == "canonical-plus") continue;  // has no affinities there
      const std::string axes[] = {coordinates ? "phi" : "w1", coordinates ? "theta" : "w2",
                                  coordinates ? "psi" : "w3"};
      std::string sigma;
      for (const std::string& k : axes)
        for (int i = 0; i < 3; ++i)
          for (int j = i + 1; j < 3; ++j)
            sigma += (sigma.empty() ? "\"" : ", \"") + k + ": " + axes[i] + ", " + axes[j] + "\" = \"" +
                     std::to_string(number(random)) + "*cos(psi)\"";
      const scene::Overrides own = connection(std::string("{base = \"") + base + "\", frame = \"" + frame +
                                              "\", sigma = {" + sigma + "}}");
      const CoordinateReport report = report_of(spherical, own);
      CHECK(report.weak < 1e-14);
      CHECK(report.strong > 0.1);
      for (const auto* list : {&report.torsion, &report.curvature, &report.non_metricity})
        CHECK_FALSE(list->empty());
      const Motion motion = run_coordinates(spherical, own);
      CHECK(difference(motion.first().a, plain.first().a) < 1e-12);
      CHECK(difference(motion.last().x.q, plain.last().x.q) < 1e-8);
    }
}

TEST_CASE("a frame that the user states gives the same motion as the coordinates") {
  const Motion plain = run_coordinates(spherical);
  const std::string frame =
      "frame = {a = [1, \"phi\", 0], b = [\"sin(psi)/2\", \"2 + cos(phi)\", 0], c = [0, \"theta\", 1]}";
  const Motion christoffel =
      run_coordinates(spherical, connection("{base = \"christoffel\", " + frame + "}"));
  CHECK(difference(christoffel.first().a, plain.first().a) < 1e-12);
  CHECK(difference(christoffel.last().x.q, plain.last().x.q) < 1e-8);
  const Motion member = run_coordinates(
      spherical, connection("{base = \"christoffel\", " + frame + ", sigma = {\"a: b, c\" = \"theta\"}}"));
  CHECK(difference(member.last().x.q, plain.last().x.q) < 1e-8);
  CHECK_FALSE(report_of(spherical, connection("{base = \"christoffel\", " + frame + "}")).torsion.size() > 0);
  // The body axes as vectors: their brackets are those of SO(3), so the canonical connection gives the
  // motion.
  const std::string axes =
      "frame = {a = [\"sin(psi)/sin(theta)\", \"cos(psi)\", \"-sin(psi)/tan(theta)\"], b = "
      "[\"cos(psi)/sin(theta)\", \"-sin(psi)\", \"-cos(psi)/tan(theta)\"], c = [0, 0, 1]}";
  for (const std::string base : {"canonical-plus", "canonical"}) {
    CAPTURE(base);
    const scene::Overrides canonical = connection("{base = \"" + base + "\", " + axes + "}");
    CHECK(difference(run_coordinates(spherical, canonical).last().x.q, plain.last().x.q) < 1e-8);
  }
}

TEST_CASE("a run ends when its connection no longer gives the motion") {
  // Wrong only where theta < 0.8, which the motion reaches after the start.
  const std::string late =
      "{base = \"christoffel\", affinities = {\"w1, w2 -> w3\" = \"(1 + sign(0.8 - theta))/20\"}}";
  const scene::Scene scene = scene::load_scene(scene_path(spherical), connection(late));
  const Trajectory motion = run(scene, prepare(scene), scene.run);
  CHECK(motion.summary.status == StepStatus::connection_lost);
  CHECK(to_string(motion.summary.status) == "connection-lost");
  CHECK(has(motion.summary.message, " s; the affinity \"w1, w2 -> w3\" is "));
  CHECK(motion.samples.back().x.q[1] > 0.8);
  CHECK(motion.summary.t < 1);
}

TEST_CASE("a connection that does not give the motion is refused whatever time_metric is") {
  for (const char* time_metric : {"1e-12", "1", "1e12"}) {
    CAPTURE(time_metric);
    CHECK(has(refusal("canonical-minus", {{"chart.time_metric", time_metric}}), "does not give the motion"));
  }
}

TEST_CASE("a sigma with components in time leaves the motion of a system that depends on time unchanged") {
  const Motion plain = run_coordinates("moving_pendulum_chart", {{"run.end", "3"}});
  const Motion member = run_coordinates(
      "moving_pendulum_chart",
      connection("{base = \"christoffel\", sigma = {\"theta: phi, t\" = \"0.3*sin(t)\", \"phi: theta, t\" = "
                 "\"theta\", \"phi: theta, phi\" = 0.2}}",
                 {{"run.end", "3"}}));
  CHECK(difference(member.first().a, plain.first().a) < 1e-13);
  CHECK(difference(member.last().x.q, plain.last().x.q) < 1e-8);
}

TEST_CASE("autoparallels of the canonical connections in 3-1-3 angles turn about an axis fixed in the body") {
  CurveRequest request;
  request.duration = 1.5;
  request.direction = Vec3(0.6, -0.3, 1.1);
  const CoordinateCurves curves = follow("spherical_motion_313_canonical", {}, request);
  const Vec q = scene::load_scene(scene_path(spherical)).in_coordinates->start.q;
  for (const char* name : {"canonical-minus", "canonical-zero", "canonical-plus"}) {
    CAPTURE(name);
    const Autoparallel& curve = of(curves, name);
    for (std::size_t k = 0; k < curve.q.size(); k += 10) {
      const Vec3 turn = (curves.t[k] - curves.t[0]) * request.direction;
      const Mat3 exact = attitude(q) * (turn.norm() > 0 ? Eigen::AngleAxisd(turn.norm(), turn.normalized())
                                                        : Eigen::AngleAxisd::Identity())
                                           .toRotationMatrix();
      CHECK(greatest(attitude(curve.q[k]) - exact) < 1e-9);
      CHECK(difference(curve.velocity[k], request.direction) < 1e-9);
    }
  }
  CHECK(greatest(attitude(of(curves, "christoffel").q.back()) -
                 attitude(of(curves, "canonical-plus").q.back())) > 0.01);
}

TEST_CASE("the Christoffel autoparallel along the present velocity is the free motion itself") {
  CurveRequest request;
  request.duration = 1;
  const CoordinateCurves curves = follow(spherical, {}, request);
  const Autoparallel& geodesic = of(curves, "christoffel");
  REQUIRE(curves.q.size() == curves.t.size());
  for (std::size_t k = 0; k < curves.t.size(); k += 20) {
    CHECK(difference(geodesic.q[k], curves.q[k]) < 1e-9);
    CHECK(difference(geodesic.velocity[k], curves.velocity[k]) < 1e-9);
  }
}

TEST_CASE("transport: (+) keeps the components in space, (-) those in the body, Christoffel the length") {
  CurveRequest request;
  request.duration = 1;
  request.direction = Vec3(0.6, -0.3, 1.1);
  request.vector = Vec3(0.2, 1, -0.4);
  const CoordinateCurves curves = follow("spherical_motion_313_canonical", {}, request);
  const auto check = [&](const Transport& one, const std::vector<Vec>& q) {
    REQUIRE(one.vector.size() == q.size());
    REQUIRE(q.size() == curves.t.size());
    for (std::size_t k = 0; k < q.size(); k += 10) {
      const Vec3 in_space = attitude(q[k]) * one.vector[k], at_start = attitude(q[0]) * request.vector;
      if (one.connection == "canonical-plus") CHECK(difference(in_space, at_start) < 1e-9);
      if (one.connection == "canonical-minus") CHECK(difference(one.vector[k], request.vector) < 1e-12);
      if (one.connection == "christoffel") CHECK(std::abs(one.length[k] - one.length[0]) < 1e-10);
      const Vec3 inertia(1.7, 1.7, 0.9), u = one.vector[k];
      CHECK(one.length[k] == doctest::Approx(std::sqrt(u.dot(inertia.cwiseProduct(u)))).epsilon(1e-12));
    }
  };
  for (const char* name : {"canonical-minus", "canonical-plus", "christoffel"}) {
    CAPTURE(name);
    check(of(curves, name), of(curves, name).q);
    check(along_motion(curves, name), curves.q);
  }
  const Vec3 plus = along_motion(curves, "canonical-plus").vector.back();
  CHECK(difference(plus, request.vector) > 0.1);
}

TEST_CASE("transport along the motion is exact over long intervals between outputs, or has no values") {
  CurveRequest request;
  request.duration = 16;
  request.intervals = 4;
  request.vector = Vec3(0.2, 1, -0.4);
  const CoordinateCurves curves = follow("spherical_motion_313_canonical", {{"run.end", "100"}}, request);
  const Transport &plus = along_motion(curves, "canonical-plus"),
                  &christoffel = along_motion(curves, "christoffel");
  const Vec3 at_start = attitude(curves.q[0]) * request.vector;
  for (std::size_t k = 0; k < curves.t.size(); ++k) {
    CHECK(difference(Vec3(attitude(curves.q[k]) * plus.vector[k]), at_start) < 1e-8);
    CHECK(std::abs(christoffel.length[k] - christoffel.length[0]) < 1e-8);
  }

  request.duration = 100, request.intervals = 1;
  const CoordinateCurves far = follow("spherical_motion_313_canonical", {{"run.end", "100"}}, request);
  CHECK(difference(along_motion(far, "canonical-plus").vector.front(), request.vector) == 0);
  CHECK(std::isnan(along_motion(far, "canonical-plus").vector.back()[0]));
  CHECK(std::isnan(along_motion(far, "canonical-plus").length.back()));
}

TEST_CASE(
    "the Christoffel connection of a system that depends on time keeps lengths in the metric of events") {
  CurveRequest request;
  request.duration = 1;
  request.vector = Eigen::Vector2d(1, 0.3);
  const CoordinateCurves curves = follow("moving_pendulum_chart", {}, request);
  const Transport &along = along_motion(curves, "christoffel"), &curve = of(curves, "christoffel");
  CHECK(along.length.size() == curves.t.size());
  for (std::size_t k = 0; k < curves.t.size(); k += 10) {
    CHECK(std::abs(along.length[k] - along.length[0]) < 1e-9);
    CHECK(std::abs(curve.length[k] - along.length[0]) < 1e-9);
  }
}

TEST_CASE("the computation of curves ends at the call that cancels it, from the first call to the last") {
  CurveRequest request;
  request.vector = Vec3(0.2, 1, -0.4);
  int calls = 0, last = 0;
  request.cancelled = [&] { return ++calls == last; };
  const auto status = [&] {
    try {
      follow("spherical_motion_313_canonical", {}, request);
    } catch (const EvaluationError& error) {
      return error.status;
    }
    return StepStatus::reached_end;
  };
  CHECK(status() == StepStatus::reached_end);
  const int all = calls;
  CHECK(all > request.intervals);
  for (const int at : {1, all / 2, all}) {
    CAPTURE(at);
    calls = 0, last = at;
    CHECK(status() == StepStatus::cancelled);
    CHECK(calls == at);
  }
}

}  // namespace torsor::test
