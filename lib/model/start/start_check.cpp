#include "start_check.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "model/mechanism_check.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor {
namespace {

constexpr std::size_t most_reasons = 20;
constexpr double quaternion_tolerance = 1e-6;

std::string three_digits(double value) {
  std::ostringstream text;
  text.precision(3);
  text << value;
  return text.str();
}

bool finite(const std::optional<Vec3>& a) { return !a || a->allFinite(); }

/// Why a quaternion of this length is not a rotation; empty if it is.
std::string why_no_rotation(double length) {
  if (std::abs(length - 1) <= quaternion_tolerance) return {};
  return "has length " + three_digits(length) + ", not 1";
}

void check_body(const Body& body, int index, const BodyStart& start, Reasons& reasons) {
  using Field = Reason::Field;
  const auto require = [&](bool condition, const std::string& reason, Field field = Field::whole) {
    if (!condition) reasons.push_back({body_part(index), field, label(body, index) + ": " + reason});
  };
  require(finite(start.x), "its position is not finite", Field::position);
  require(finite(start.v_W) && finite(start.v_B), "its velocity is not finite", Field::velocity);
  require(finite(start.omega_W) && finite(start.Omega), "its angular velocity is not finite",
          Field::angular_velocity);
  if (start.R) {
    const SO3<>& R = *start.R;
    const std::string why = why_no_rotation(Vector<double, 4>(R.w(), R.x(), R.y(), R.z()).norm());
    require(why.empty(), "the quaternion of its attitude " + why, Field::attitude);
  }
  require(!body.particle || !start.R, "a particle has no attitude");
  require(!body.particle || !(start.omega_W || start.Omega), "a particle has no angular velocity");
  require(!body.particle || !start.v_B, "a particle has no body axes for its velocity");
}

/// Why the given numbers cannot be used (wrong count, a number that is not finite); empty if they can. `what`
/// is their name in the message, such as "rates".
std::string why_no_numbers(const std::optional<Vec>& given, int needed, const std::string& what) {
  if (!given) return {};
  if (given->size() != needed)
    return std::to_string(given->size()) + " " + what + " given, " + std::to_string(needed) + " needed";
  return given->allFinite() ? "" : "its " + what + " are not finite";
}

void check_joint(const Joint& joint, int index, const JointStart& start, Reasons& reasons) {
  const auto refuse_if = [&](const std::string& why) {
    if (!why.empty()) reasons.push_back({joint_part(index), {}, label(joint, index) + ": " + why});
  };
  refuse_if(why_no_numbers(start.q, coordinate_count(joint.kind), "coordinates"));
  refuse_if(why_no_numbers(start.v, freedom_count(joint.kind), "rates"));
  if (!joint_type(joint.kind).quaternion || !start.q || start.q->size() != coordinate_count(joint.kind))
    return;
  const std::string why = why_no_rotation(start.q->tail<4>().norm());
  if (!why.empty()) refuse_if("the quaternion among its coordinates " + why);
}

}  // namespace

Reasons why_start_unusable(const Mechanism& mechanism, const Start& start) {
  Reasons reasons;
  const auto require_count = [&](std::size_t given, std::size_t needed, const char* what) {
    if (given > 0 && given != needed)
      reasons.push_back({{},
                         {},
                         "the start is given for " + std::to_string(given) + " " + what +
                             ", the mechanism has " + std::to_string(needed)});
  };
  require_count(start.bodies.size(), mechanism.bodies.size(), "bodies");
  require_count(start.joints.size(), mechanism.joints.size(), "joints");
  if (!reasons.empty()) return reasons;
  for (int i = 0; i < static_cast<int>(start.bodies.size()); ++i)
    check_body(mechanism.bodies[i], i, start.bodies[i], reasons);
  for (int j = 0; j < static_cast<int>(start.joints.size()); ++j)
    check_joint(mechanism.joints[j], j, start.joints[j], reasons);
  return reasons;
}

void Contradictions::require(double residual, double unit, int link, Reason::Field field,
                             const char* quantity, const char* written_unit) {
  if (residual <= tolerance_ * unit) return;
  if (reasons_.size() == most_reasons) {
    ++more_;
    return;
  }
  const Mechanism& mechanism = model_.mechanism();
  const int body = model_.body[link], joint = model_.joint[link];
  reasons_.push_back({body_part(body), field,
                      label(mechanism.bodies[body], body) + ": its " + quantity + " is off by " +
                          three_digits(residual) + " " + written_unit + " from the value that " +
                          (joint < 0 ? "the rest of the data" : label(mechanism.joints[joint], joint)) +
                          " allows"});
}

void Contradictions::throw_if_any() {
  if (more_ > 0) reasons_.back().text += "; and " + std::to_string(more_) + " more contradictions";
  if (!reasons_.empty()) throw StartError(std::exchange(reasons_, {}));
}

}  // namespace torsor
