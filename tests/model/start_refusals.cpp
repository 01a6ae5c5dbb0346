#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "rods.hpp"
#include "torsor/model/start.hpp"

namespace torsor {
namespace {

using test::chain;

std::string refusal(const Mechanism& mechanism, const Start& start) {
  try {
    make_start(Model(mechanism), start);
  } catch (const StartError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("contradictory data are refused with the name of the body and the size of the difference") {
  const Mechanism pendulum = chain(JointKind::revolute, 2);
  const auto with = [&](const BodyStart& first, const BodyStart& second,
                        std::vector<JointStart> joints = {}) {
    return refusal(pendulum, {{first, second}, std::move(joints)});
  };
  CHECK(with({.x = Vec3(0.5, 0, 0.1), .R = SO3<>()}, {}) ==
        "body \"rod0\": its position is off by 0.1 m from the value that joint \"joint0\" allows");
  CHECK(with({}, {.x = Vec3(1.5, 0, 0), .R = SO3<>::exp(Vec3(0.25, 0, 0))}) ==
        "body \"rod1\": its attitude is off by 0.25 rad from the value that joint \"joint1\" allows");
  CHECK(with({.R = SO3<>()}, {}, {{Vec::Constant(1, 0.5), {}}, {}}) ==
        "body \"rod0\": its attitude is off by 0.5 rad from the value that joint \"joint0\" allows");
  CHECK(with({.v_W = Vec3(0, 1, 2)}, {}) ==
        "body \"rod0\": its velocity is off by 2 m/s from the value that joint \"joint0\" allows");
  CHECK(with({.v_W = Vec3(0, 1, 0), .v_B = Vec3(0, 1.5, 0)}, {}) ==
        "body \"rod0\": its velocity in body axes is off by 0.5 m/s from the value that joint "
        "\"joint0\" allows");
  CHECK(with({.omega_W = Vec3(0, 3, 0)}, {.Omega = Vec3(4, 0, 0)}) ==
        "body \"rod0\": its angular velocity is off by 3 rad/s from the value that joint \"joint0\" allows\n"
        "body \"rod1\": its angular velocity in body axes is off by 4 rad/s from the value that joint "
        "\"joint1\" allows");
  CHECK(with({.x = Vec3(0.5, 0, 1e-10), .R = SO3<>()}, {}) == "accepted");
  const Mechanism loose{{{"a"}}, {}, {}};
  CHECK(refusal(loose, {{{.v_W = Vec3(0, 1, 0), .v_B = Vec3(0, 0, 0)}}, {}}) ==
        "body \"a\": its velocity in body axes is off by 1 m/s from the value that the rest of "
        "the data allows");
}

TEST_CASE("the first of many contradictions are listed, and the others are counted") {
  const Start start{std::vector<BodyStart>(30, {.omega_W = Vec3(0, 3, 0), .Omega = Vec3(0, 0, 0)}), {}};
  const std::string text = refusal(chain(JointKind::revolute, 30), start);
  CHECK(text.ends_with("allows; and 10 more contradictions"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 19);  // 20 are listed, one in each line
}

TEST_CASE("unusable starts are refused with every reason") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Mechanism two{{{"a"}, {"p", 1, Mat3::Zero(), GroupProduct::direct, true}},
                      {{"ball", JointKind::spherical, world, 0}},
                      {}};
  const auto with = [&](const BodyStart& a, const BodyStart& p, const JointStart& ball) {
    return refusal(two, {{a, p}, {ball}});
  };
  CHECK(refusal(two, {std::vector<BodyStart>(3), {}}) ==
        "the start is given for 3 bodies, the mechanism has 2");
  CHECK(refusal(two, {{}, std::vector<JointStart>(2)}) ==
        "the start is given for 2 joints, the mechanism has 1");
  const Vec3 none(0, nan, 0);
  CHECK(with({.x = none, .v_B = none, .Omega = none},
             {.R = SO3<>(), .v_B = Vec3::Zero(), .omega_W = Vec3::Zero()}, {}) ==
        "body \"a\": its position is not finite\nbody \"a\": its velocity is not finite\n"
        "body \"a\": its angular velocity is not finite\nbody \"p\": a particle has no attitude\n"
        "body \"p\": a particle has no angular velocity\n"
        "body \"p\": a particle has no body axes for its velocity");
  CHECK(with({.R = SO3<>::from_wxyz(1, 0.75, 0, 0)}, {}, {}) ==
        "body \"a\": the quaternion of its attitude has length 1.25, not 1");
  CHECK(with({}, {}, {Vec::Zero(3), Vec::Zero(4)}) ==
        "joint \"ball\": 3 coordinates given, 4 needed\njoint \"ball\": 4 rates given, 3 needed");
  CHECK(with({}, {}, {Vec::Constant(4, 1), Vec::Constant(3, nan)}) ==
        "joint \"ball\": its rates are not finite\n"
        "joint \"ball\": the quaternion among its coordinates has length 2, not 1");
}

TEST_CASE("a contradiction identifies the body and the field") {
  const Mechanism pendulum = chain(JointKind::revolute, 2);
  const auto reason = [&](const BodyStart& first, const BodyStart& second) {
    try {
      make_start(Model(pendulum), {{first, second}, {}});
    } catch (const StartError& error) {
      return error.reasons.front();
    }
    return Reason{};
  };
  using Field = Reason::Field;
  const auto about = [&](const Reason& found, int body, Field field) {
    return found.part.kind == Part::Kind::body && found.part.index == body && found.field == field;
  };
  CHECK(about(reason({.x = Vec3(0.5, 0, 0.1), .R = SO3<>()}, {}), 0, Field::position));
  CHECK(about(reason({}, {.R = SO3<>::exp(Vec3(0.25, 0, 0))}), 1, Field::attitude));
  CHECK(about(reason({.v_W = Vec3(1, 0, 0)}, {}), 0, Field::velocity));
  CHECK(about(reason({}, {.omega_W = Vec3(1, 0, 0)}), 1, Field::angular_velocity));
}

}  // namespace
}  // namespace torsor
