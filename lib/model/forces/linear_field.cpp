#include "force_kind.hpp"

// A linear field: stiffness, damping and magnetic force on a point.

namespace torsor {
namespace {

/// The point where a field acts: position, velocity, and the arm from the mass centre; world axes.
struct FieldPoint {
  int link;
  Vec3 x, v, arm;
};

FieldPoint place(const LinearField& law, const ForceInstant& now) {
  const int link = now.model.link_of_body[law.body];
  const Vec3 arm = now.work.R_WB[link] * law.p;
  return {link, now.work.p_WB[link] + arm, now.work.v_WB[link] + now.work.w_WB[link].cross(arm), arm};
}

Mat3 symmetric(const Mat3& K) { return (K + K.transpose()) / 2; }

class LinearFieldKind final : public ForceKind<LinearField> {
 public:
  bool reads(std::string_view kind) const override { return kind == "linear-field"; }
  LinearField read(const LawTable& table) const override {
    LinearField law;
    const BodyPoint point = table.point();
    law.body = point.body, law.p = point.p, law.node = point.node;
    law.K = table.matrix("stiffness").value_or(Mat3::Zero());
    law.C = table.matrix("damping").value_or(Mat3::Zero());
    law.x0 = table.time_vec3("centre");
    law.B = table.time_vec3("magnetic_field");
    law.charge = table.time_function("charge");
    return law;
  }

  void check(const LinearField& law, ForceCheck& at) const override {
    at.require(law.body != world, "a field on the ground moves nothing");
    at.check_point({law.body, law.p, law.node});
    at.require(law.K.allFinite(), "K is not finite");
    at.require(law.C.allFinite(), "C is not finite");
    at.require(finite(law.x0), "x0 is not finite");
    at.require(finite(law.B), "B is not finite");
    at.require(finite(law.charge), "the charge is not finite");
  }

  void add_loads(const LinearField& law, const ForceInstant& now, Loads<double>& loads) const override {
    const auto [link, x, v, arm] = place(law, now);
    const Vec3 d = x - value(law.x0, now);
    const Vec3 force = value(law.charge, now) * v.cross(value(law.B, now)) - law.K * d - law.C * v;
    loads.force[link] += force;
    loads.torque[link] += arm.cross(force);
  }

  /// Only the symmetric part of K has a potential. The skew part gives a circulatory force; `power` includes
  /// the power of this force.
  double potential(const LinearField& law, const ForceInstant& now) const override {
    const Vec3 d = place(law, now).x - value(law.x0, now.t);
    return d.dot(law.K * d) / 2;
  }

  double power(const LinearField& law, const ForceInstant& now) const override {
    const auto [link, x, v, arm] = place(law, now);
    const Vec3 d = x - value(law.x0, now.t);
    const Mat3 K = symmetric(law.K);
    const double moved = is_constant(law.x0) ? 0 : -rate(law.x0, now.t).dot(K * d);
    return moved - v.dot(law.C * v + (law.K - K) * d);
  }

  bool conserves_energy(const LinearField& law) const override {
    return is_constant(law.x0) && symmetric(law.C).isZero(0) && law.K == symmetric(law.K);
  }
  bool depends_on_velocity(const LinearField& law) const override {
    return !law.C.isZero(0) || !(is_zero(law.charge) || is_zero(law.B));
  }
  std::vector<const TimeFunction*> functions(const LinearField& law) const override {
    return {&law.x0[0], &law.x0[1], &law.x0[2], &law.B[0], &law.B[1], &law.B[2], &law.charge};
  }
  std::vector<int> loaded_bodies(const LinearField& law, const Mechanism&) const override {
    return {law.body};
  }
  std::vector<BodyPoint> loaded_points(const LinearField& law) const override {
    return {{law.body, law.p, law.node}};
  }
};

}  // namespace

const ForceKind<LinearField>& LinearField::kind() {
  static constexpr LinearFieldKind kind;
  return kind;
}

}  // namespace torsor
