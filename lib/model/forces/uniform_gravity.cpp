#include "force_kind.hpp"

// Uniform gravity.

namespace torsor {
namespace {

/// -V in a uniform field of acceleration g.
double minus_potential(const Vec3& g, const ForceInstant& now) {
  double sum = 0;
  for (int i = 0; i < now.model.size(); ++i) sum += now.body(i).mass * g.dot(now.work.p_WB[i]);
  return sum;
}

class UniformGravityKind final : public ForceKind<UniformGravity> {
 public:
  bool reads(std::string_view kind) const override { return kind == "gravity"; }
  UniformGravity read(const LawTable& table) const override { return {table.time_vec3("acceleration")}; }

  void check(const UniformGravity& law, ForceCheck& at) const override {
    at.require(finite(law.g), "g is not finite");
  }

  void add_loads(const UniformGravity& law, const ForceInstant& now, Loads<double>& loads) const override {
    loads.gravity += value(law.g, now);
  }

  double potential(const UniformGravity& law, const ForceInstant& now) const override {
    return -minus_potential(value(law.g, now.t), now);
  }

  double power(const UniformGravity& law, const ForceInstant& now) const override {
    return is_constant(law.g) ? 0 : -minus_potential(rate(law.g, now.t), now);
  }

  bool conserves_energy(const UniformGravity& law) const override { return is_constant(law.g); }
  bool depends_on_velocity(const UniformGravity&) const override { return false; }
  std::vector<const TimeFunction*> functions(const UniformGravity& law) const override {
    return {&law.g[0], &law.g[1], &law.g[2]};
  }
  std::vector<int> loaded_bodies(const UniformGravity&, const Mechanism& mechanism) const override {
    return all_bodies(mechanism);
  }
};

}  // namespace

const ForceKind<UniformGravity>& UniformGravity::kind() {
  static constexpr UniformGravityKind kind;
  return kind;
}

}  // namespace torsor
