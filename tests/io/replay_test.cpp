#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sample_result.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::test {
namespace {

using Json = nlohmann::json;

io::StoredResult sample_result(int samples = 3) {
  io::StoredResult result;
  result.scene = sample_scene();
  result.trajectory = sample_trajectory(samples);
  result.facts = {{"method", "rkmk4"}, {"version", "0.1.0"}};
  return result;
}

/// The data of a page.
Json data_of(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const auto begin = html.find(open) + open.size();
  return Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

std::string bytes(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned held = 0, bits = 0;
  for (const char c : base64) {
    if (c == '=') break;
    held = held << 6 | static_cast<unsigned>(digits.find(c));
    if ((bits += 6) >= 8) out += static_cast<char>(held >> (bits -= 8) & 255);
  }
  return out;
}
template <class Number>
std::vector<Number> numbers(const Json& base64) {
  const std::string raw = bytes(base64);
  std::vector<Number> values(raw.size() / sizeof(Number));
  std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

TEST_CASE("a replay holds the poses and twists of every body") {
  const io::StoredResult result = sample_result();
  const Json data = data_of(replay_page(result, {{"energy"}}).html);
  const auto& samples = result.trajectory.samples;
  const auto times = numbers<double>(data["times"]);
  const auto positions = numbers<double>(data["positions"]);
  const auto attitudes = numbers<float>(data["attitudes"]), twists = numbers<float>(data["twists"]);
  REQUIRE(positions.size() == 3 * 2 * 3);
  REQUIRE(attitudes.size() == 3 * 2 * 4);
  REQUIRE(twists.size() == 3 * 2 * 6);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(times[i] == samples[i].t);
    for (std::size_t k = 0; k < 2; ++k) {
      const double* position = &positions[3 * (2 * i + k)];
      const float *attitude = &attitudes[4 * (2 * i + k)], *twist = &twists[6 * (2 * i + k)];
      double xyzw[4];
      samples[i].bodies[k].R.to(xyzw);
      for (int c = 0; c < 3; ++c) {
        CHECK(position[c] == samples[i].bodies[k].x[c]);  // no digit is lost far from the origin
        CHECK(twist[c] == static_cast<float>(samples[i].bodies[k].v[c]));
        CHECK(twist[3 + c] == static_cast<float>(samples[i].bodies[k].Omega[c]));
      }
      for (int c = 0; c < 4; ++c) CHECK(attitude[c] == static_cast<float>(xyzw[c]));
    }
  }
  CHECK(data["bodies"][1]["particle"] == true);
  CHECK(data["bodies"][0]["nodes"][0]["name"] == "knot");
  CHECK(data["joints"][1]["kind"] == "revolute");
  CHECK(data["curves"].back()["name"] == "energy");
  bool relative = false;
  for (const Json& curve : data["curves"]) {
    relative = relative || curve["name"] == "acceleration_residual";
    CHECK((curve["unit"] == "") == (curve["name"] == "acceleration_residual"));
  }
  CHECK(relative);
}

TEST_CASE("constraints that are not drawn as lines have symbols at the point where they act") {
  io::StoredResult result = sample_result();
  auto& mechanism = result.scene.mechanism;
  VelocityLaw blade;
  blade.terms.push_back({.point = {0, Vec3(0, -1, 0)}, .c = Vec3(0, 2, 0)});
  mechanism.constraints = {
      {"gear", JointCoupling{{{1, 0, 1}, {1, 0, -2}}}},
      {"motor", JointCoupling{{{1, 0, 1}}}},
      {"blade", blade},
      {"wire", PointOnLine{.point = {0}, .origin = {world, {1., 2., 3.}}, .direction = Vec3(2, 4, 4)}}};
  const Json glyphs = data_of(replay_page(result).html)["joints"];
  const auto kinds = [&] {
    std::vector<std::string> all;
    for (const Json& one : glyphs) all.push_back(one["kind"]);
    return all;
  }();
  CHECK(kinds ==
        std::vector<std::string>{"spherical", "revolute", "gear", "gear", "motor", "blade", "rail", "point"});
  CHECK(glyphs[5]["child"] == 0);
  CHECK(glyphs[5]["p"] == Json({0, -1, 0}));
  const auto axis = [](const Json& one) {
    const auto q = one["q"].get<std::vector<double>>();
    return Vec3(SO3<>::from(q.data()) * Vec3::UnitZ());
  };
  CHECK((axis(glyphs[5]) - Vec3::UnitY()).norm() < 1e-12);
  CHECK(glyphs[6]["child"] == -1);
  CHECK(glyphs[6]["p"] == Json({1, 2, 3}));
  CHECK((axis(glyphs[6]) - Vec3(1, 2, 2) / 3).norm() < 1e-12);
}

TEST_CASE("a joint with the ground has its frame there, whether the ground is its parent or its child") {
  io::StoredResult result = sample_result();
  auto& joints = result.scene.mechanism.joints;
  joints[0].X_PF.p = Vec3(1, 2, 3);
  CHECK_FALSE(data_of(replay_page(result).html)["joints"][1].contains("ground"));
  joints[1].parent = 1, joints[1].child = world, joints[1].X_CM.p = Vec3(4, 5, 6);
  const Json glyphs = data_of(replay_page(result).html)["joints"];
  CHECK(glyphs[0]["ground"]["p"] == Json({1, 2, 3}));
  CHECK(glyphs[1]["ground"]["p"] == Json({4, 5, 6}));
}

TEST_CASE("the floor of a replay is the plane at the start on which a body rolls") {
  io::StoredResult result = sample_result();
  Rolling rolling;
  rolling.plane.normal = Vec3(0, 0, 2), rolling.plane.axis = Vec3(0, 3, 0), rolling.plane.angle = 0.3;
  result.scene.mechanism.constraints.back() = {"contact", rolling};
  const Json data = data_of(replay_page(result).html);
  const auto normal = data["floor"]["normal"].get<std::vector<double>>();
  CHECK((Vec3(normal.data()) - Vec3(std::sin(0.3), 0, std::cos(0.3))).norm() < 1e-12);
}

TEST_CASE("the end of a rod that moves by a given function has a position in each frame") {
  io::StoredResult result = sample_result();
  const TimeFunction rising([](double t) { return TimeFunction::Value{2 * t, 2, 0}; }, "2*t");
  result.scene.mechanism.constraints = {{"rod", Distance{.a = {world, {0., 0., rising}}, .b = {1}}},
                                        {"contact", Rolling{}}};
  const Json rod = data_of(replay_page(result).html)["lines"][0];
  CHECK_FALSE(rod["a"].contains("p"));
  const auto path = numbers<double>(rod["a"]["path"]);
  REQUIRE(path.size() == 9);
  for (std::size_t i = 0; i < 3; ++i) CHECK(path[3 * i + 2] == 2 * result.trajectory.samples[i].t);
}

TEST_CASE("a replay of a scene in coordinates shows its particles") {
  io::StoredResult result;
  result.scene = scene::parse_scene(
      "[run]\nend = 1\n[integrator]\nstep = 0.1\n[chart]\ncoordinates = [\"a\", \"b\"]\n"
      "start = [1, 2]\nrates = [3, 4]\n[[chart.particle]]\nmass = 2\nposition = [\"a*b + t\", \"b\"]\n",
      "plane.toml");
  const Trajectory& trajectory = result.trajectory =
      run(result.scene, prepare(result.scene), result.scene.run);
  const Json data = data_of(replay_page(result).html);
  REQUIRE(data["bodies"].size() == 1);
  CHECK(data["bodies"][0]["particle"] == true);
  CHECK(data["bodies"][0]["mass"] == 2);
  const auto position = numbers<double>(data["positions"]);
  const auto attitude = numbers<float>(data["attitudes"]), twist = numbers<float>(data["twists"]);
  REQUIRE(position.size() == 3 * trajectory.samples.size());
  const Sample& last = trajectory.samples.back();
  const auto end = position.end() - 3;
  const auto rate = twist.end() - 6;
  CHECK(end[0] == doctest::Approx(last.x.q[0] * last.x.q[1] + last.t).epsilon(1e-15));
  CHECK(end[1] == last.x.q[1]);
  CHECK(attitude.back() == 1);
  CHECK(rate[0] == doctest::Approx(last.x.v[0] * last.x.q[1] + last.x.q[0] * last.x.v[1] + 1));
  CHECK(rate[1] == static_cast<float>(last.x.v[1]));
}

TEST_CASE("a long run is thinned out and keeps the greatest residual, and residuals that are NaN") {
  io::StoredResult result = sample_result(2);
  auto& samples = result.trajectory.samples;
  samples.assign(10'000, samples.front());
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].t = 1e-3 * static_cast<double>(i);
  for (Sample& one : samples) one.invariants.position_residual = 1e-13;
  samples[5001].invariants.position_residual = -3e-5;  // between two frames, as the next
  samples[7001].invariants.position_residual = std::numeric_limits<double>::quiet_NaN();
  const io::Replay replay = replay_page(result);
  CHECK(replay.samples == 10'000);
  CHECK(replay.frames == 3601);
  const Json data = data_of(replay.html);
  const auto times = numbers<double>(data["times"]);
  CHECK(times.front() == samples.front().t);
  CHECK(times.back() == samples.back().t);
  CHECK(std::find(times.begin(), times.end(), samples[5001].t) == times.end());
  const auto residual = numbers<double>(data["curves"][1]["values"]);
  CHECK(data["curves"][1]["name"] == "position_residual");
  CHECK(data["curves"][1]["unit"] == "m or rad");
  CHECK(std::count(residual.begin(), residual.end(), -3e-5) == 1);
  CHECK(std::count_if(residual.begin(), residual.end(), [](double x) { return std::isnan(x); }) == 1);
}

TEST_CASE("a minute of ten bodies takes less than 5 MB, and the size of a page is bounded") {
  io::StoredResult result = sample_result(2);
  result.scene.mechanism.bodies[0].nodes.clear();
  result.scene.mechanism.bodies.resize(10);
  result.scene.mechanism.joints.clear();
  result.scene.mechanism.constraints.clear();
  result.scene.mechanism.forces.clear();
  auto& samples = result.trajectory.samples;
  samples.front().bodies.resize(10);
  samples.front().joints.clear();
  samples.front().constraints.clear();
  samples.front().forces.clear();
  samples.front().nodes.clear();
  samples.assign(60'000, samples.front());
  CHECK(replay_page(result).html.size() < 5'000'000);
  result.scene.mechanism.bodies.resize(2000);
  samples.resize(600);
  for (Sample& one : samples) one.bodies.resize(2000);
  CHECK(replay_page(result).html.size() < 20'000'000);
}

TEST_CASE("a result without samples has no page and no curves") {
  io::StoredResult result = sample_result();
  result.trajectory.samples.clear();
  const char* const why = "the trajectory has no samples";
  CHECK_THROWS_WITH_AS(replay_page(result), why, std::invalid_argument);
  CHECK_THROWS_WITH_AS(io::report_page(result), why, std::invalid_argument);
  CHECK_THROWS_WITH_AS(io::curves(result, {"energy"}), why, std::invalid_argument);
}

TEST_CASE("names and titles of a scene are never markup on the page") {
  io::StoredResult result = sample_result();
  const std::string markup = "</script><img src=x onerror=alert(1)>&\"'";
  const std::string plain = replay_page(result).html;
  result.scene.title = markup;
  result.scene.mechanism.bodies[0].name = markup;
  const std::string html = replay_page(result).html;
  CHECK(html.find("<img") == std::string::npos);
  const auto count = [](const std::string& text) {
    std::size_t found = 0;
    for (auto at = text.find("</script"); at != std::string::npos; at = text.find("</script", at + 1))
      ++found;
    return found;
  };
  CHECK(count(html) == count(plain));
  CHECK(data_of(html)["title"] == markup);
  CHECK(data_of(html)["bodies"][0]["name"] == markup);
}

TEST_CASE("the page loads nothing from outside") {
  const std::string html = replay_page(sample_result()).html;
  CHECK(html.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
  for (const char* one : {"<link rel=\"stylesheet", "<script src", "@import"})
    CHECK(html.find(one) == std::string::npos);
}

}  // namespace
}  // namespace torsor::test
