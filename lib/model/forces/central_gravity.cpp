#include "force_kind.hpp"
#include "torsor/model/rigid_particles.hpp"

// A central field, with the gradient over bodies of finite size.

namespace torsor {
namespace {

/// One body in a central field: its distance r from the centre, the unit vector u away from the centre, J u,
/// u . J u and tr J, with J in world axes. The terms in J are zero for a particle or without `gradient`.
struct CentralSight {
  double r;
  Vec3 u, J_u;
  double J_uu, trace;
};

CentralSight look(const CentralGravity& law, const ForceInstant& now, int link) {
  const Vec3 x = now.work.p_WB[link] - law.centre;
  const double r = x.norm();
  CentralSight s{r, x / r, Vec3::Zero(), 0, 0};
  const Body& body = now.body(link);
  if (!law.gradient || body.particle) return s;
  const Mat3& R = now.work.R_WB[link];
  const Vec3 u_B = R.transpose() * s.u;
  const Vec3 J_u_B = body.inertia * u_B;
  s.J_u = R * J_u_B;
  s.J_uu = u_B.dot(J_u_B);
  s.trace = body.inertia.trace();
  return s;
}

/// -V / mu: m / r + (tr J - 3 u . J u) / (2 r^3), MacCullagh.
double potential_per_strength(const CentralGravity& law, const ForceInstant& now) {
  double sum = 0;
  for (int i = 0; i < now.model.size(); ++i) {
    const CentralSight s = look(law, now, i);
    sum += now.body(i).mass / s.r + (s.trace - 3 * s.J_uu) / (2 * s.r * s.r * s.r);
  }
  return sum;
}

class CentralGravityKind final : public ForceKind<CentralGravity> {
 public:
  bool reads(std::string_view kind) const override { return kind == "central-gravity"; }
  CentralGravity read(const LawTable& table) const override {
    return {table.time_function("mu"), table.vec3("centre").value_or(Vec3::Zero()), table.flag("gradient")};
  }

  void check(const CentralGravity& law, ForceCheck& at) const override {
    at.require(finite(law.mu), "mu is not finite");
    at.require(law.centre.allFinite(), "the centre is not finite");
    for (const Body& body : at.mechanism().bodies)
      at.require(!law.gradient || !is_line(body),
                 "the gradient of gravity needs the inertia of a body, but the nodes of \"" + body.name +
                     "\" lie in one line");
  }

  /// F = -dV/dx, torque 3 mu / r^3 u x J u.
  void add_loads(const CentralGravity& law, const ForceInstant& now, Loads<double>& loads) const override {
    const double mu = value(law.mu, now);
    for (int i = 0; i < now.model.size(); ++i) {
      const CentralSight s = look(law, now, i);
      const double r2 = s.r * s.r;
      const Vec3 gradient = 1.5 / r2 * ((5 * s.J_uu - s.trace) * s.u - 2 * s.J_u);
      loads.force[i] += mu / r2 * (gradient - now.body(i).mass * s.u);
      loads.torque[i] += 3 * mu / (r2 * s.r) * s.u.cross(s.J_u);
    }
  }

  double potential(const CentralGravity& law, const ForceInstant& now) const override {
    return -law.mu(now.t) * potential_per_strength(law, now);
  }

  double power(const CentralGravity& law, const ForceInstant& now) const override {
    if (law.mu.is_constant()) return 0;
    return -law.mu.with_derivatives(now.t).rate * potential_per_strength(law, now);
  }

  bool conserves_energy(const CentralGravity& law) const override { return law.mu.is_constant(); }
  bool depends_on_velocity(const CentralGravity&) const override { return false; }
  std::vector<const TimeFunction*> functions(const CentralGravity& law) const override { return {&law.mu}; }
  std::vector<int> loaded_bodies(const CentralGravity&, const Mechanism& mechanism) const override {
    return all_bodies(mechanism);
  }
};

}  // namespace

const ForceKind<CentralGravity>& CentralGravity::kind() {
  static constexpr CentralGravityKind kind;
  return kind;
}

}  // namespace torsor
