#include "force_kind.hpp"

// A spring and damper between two points.

namespace torsor {
namespace {

struct PointState {
  Vec3 x, v, arm;  ///< arm: from the mass centre to the point; all in world axes
};

PointState state_of(const BodyPoint& point, const ForceInstant& now) {
  if (point.body == world) return {point.p, Vec3::Zero(), Vec3::Zero()};
  const int link = now.model.link_of_body[point.body];
  const Vec3 arm = now.work.R_WB[link] * point.p;
  return {now.work.p_WB[link] + arm, now.work.v_WB[link] + now.work.w_WB[link].cross(arm), arm};
}

struct SpringState {
  PointState a, b;
  double length = 0, length_rate = 0;
  Vec3 u = Vec3::Zero();  ///< from a to b
};

/// If the ends coincide, a spring of rest length zero has zero force. Any other spring then has no direction,
/// and u is NaN.
SpringState state_of(const PointSpring& law, const ForceInstant& now) {
  SpringState s{state_of(law.a, now), state_of(law.b, now)};
  const Vec3 d = s.b.x - s.a.x;
  s.length = d.norm();
  if (s.length > 0 || !is_zero(law.rest_length)) s.u = d / s.length;
  s.length_rate = s.u.dot(s.b.v - s.a.v);
  return s;
}

double tension(const PointSpring& law, const SpringState& s, const ForceInstant& now) {
  const double stretch = s.length - value(law.rest_length, now);
  return value(law.stiffness, now) * stretch + value(law.damping, now) * s.length_rate;
}

void add_at(const BodyPoint& point, const Vec3& arm, const Vec3& force, const ForceInstant& now,
            Loads<double>& loads) {
  if (point.body == world) return;
  const int link = now.model.link_of_body[point.body];
  loads.force[link] += force;
  loads.torque[link] += arm.cross(force);
}

MovingPoint end_of(const BodyPoint& point) { return {point.body, {point.p[0], point.p[1], point.p[2]}}; }

class PointSpringKind final : public ForceKind<PointSpring> {
 public:
  bool reads(std::string_view kind) const override { return kind == "spring"; }
  PointSpring read(const LawTable& table) const override {
    return {table.inner("from")->point(), table.inner("to")->point(), table.time_function("stiffness"),
            table.time_function("damping"), table.time_function("rest_length")};
  }

  void check(const PointSpring& law, ForceCheck& at) const override {
    at.check_point(law.a);
    at.check_point(law.b);
    at.require(finite(law.stiffness), "the stiffness is not finite");
    at.require(finite(law.damping), "the damping is not finite");
    at.require(finite(law.rest_length), "the rest length is not finite");
    at.require(!(law.rest_length.is_constant() && law.rest_length(0) < 0), "the rest length is negative");
    at.require(law.a.body != law.b.body,
               law.a.body == world ? "both ends are on the ground" : "both ends are on one body");
  }

  void add_loads(const PointSpring& law, const ForceInstant& now, Loads<double>& loads) const override {
    const SpringState s = state_of(law, now);
    const double pull = tension(law, s, now);
    add_at(law.a, s.a.arm, pull * s.u, now, loads);
    add_at(law.b, s.b.arm, -pull * s.u, now, loads);
  }

  double potential(const PointSpring& law, const ForceInstant& now) const override {
    const double stretch = state_of(law, now).length - law.rest_length(now.t);
    return law.stiffness(now.t) * stretch * stretch / 2;
  }

  double power(const PointSpring& law, const ForceInstant& now) const override {
    const SpringState s = state_of(law, now);
    const double lost = law.damping(now.t) * s.length_rate * s.length_rate;
    return explicit_power(law.stiffness, law.rest_length, s.length, now.t) - lost;
  }

  bool conserves_energy(const PointSpring& law) const override {
    return is_zero(law.damping) && law.stiffness.is_constant() && law.rest_length.is_constant();
  }
  bool depends_on_velocity(const PointSpring& law) const override { return !is_zero(law.damping); }
  std::vector<const TimeFunction*> functions(const PointSpring& law) const override {
    return {&law.stiffness, &law.damping, &law.rest_length};
  }
  std::vector<int> loaded_bodies(const PointSpring& law, const Mechanism&) const override {
    return {law.a.body, law.b.body};
  }
  std::vector<BodyPoint> loaded_points(const PointSpring& law) const override { return {law.a, law.b}; }
  std::vector<int> coupled_bodies(const PointSpring& law) const override { return {law.a.body, law.b.body}; }

  std::string_view scalar_unit(const PointSpring&, const Mechanism&) const override { return "N"; }
  /// Tension, N, positive where it pulls its ends together.
  double scalar(const PointSpring& law, const ForceInstant& now) const override {
    return tension(law, state_of(law, now), now);
  }
  void draw(const PointSpring& law, const Mechanism&, LawDrawing& out) const override {
    out.line("spring", end_of(law.a), end_of(law.b));
  }
};

}  // namespace

const ForceKind<PointSpring>& PointSpring::kind() {
  static constexpr PointSpringKind kind;
  return kind;
}

}  // namespace torsor
