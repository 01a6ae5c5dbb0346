#include "force_laws.hpp"

// Uniform gravity.

namespace torsor {
namespace {

/// -V of a uniform field of acceleration g.
double lifted_mass(const Vec3& g, const ForceInstant& now) {
  double sum = 0;
  for (int i = 0; i < now.model.size(); ++i) sum += now.body(i).mass * g.dot(now.work.p_WB[i]);
  return sum;
}

}  // namespace

void check(const UniformGravity& law, ForceCheck& at) { at.require(finite(law.g), "g is not finite"); }

double potential(const UniformGravity& law, const ForceInstant& now) {
  return -lifted_mass(value(law.g, now.t), now);
}

double power(const UniformGravity& law, const ForceInstant& now) {
  return is_constant(law.g) ? 0 : -lifted_mass(rate(law.g, now.t), now);
}

bool conserves_energy(const UniformGravity& law) { return is_constant(law.g); }

}  // namespace torsor
