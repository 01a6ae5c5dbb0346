#include "viscous_friction.hpp"

namespace torsor::mechanics {

ViscousFriction::ViscousFriction(const TreatmentParameters& parameters, const BodyEquations& bodies,
                                 const StepperRows& rows)
    : mu_(parameters.mu),
      eps_(parameters.eps),
      bodies_(bodies),
      rows_(rows),
      multipliers_(Vec::Zero(bodies.constraints().size())) {}

void ViscousFriction::add(Vec& W) {
  const Workspace<double>& work = bodies_.kinematics();
  const double coefficient = mu_ / eps_;
  for (const Constraints::Item& item : bodies_.constraints().items()) {
    const auto J = [&](std::size_t k, int row) {
      return Eigen::Map<const Vector<double, 6>>(bodies_.block(item, k) + 6 * row);
    };
    for (int row = 0; row < item.rows; ++row) {
      const int index = item.row_begin + row;
      if (!rows_.replaced()[index]) continue;
      double slip = bodies_.rows().a0[index];
      for (std::size_t k = 0; k < item.links.size(); ++k) {
        const int link = item.links[k];
        slip += J(k, row).head<3>().dot(work.v_WB[link]) + J(k, row).tail<3>().dot(work.w_WB[link]);
      }
      const double multiplier = multipliers_[index] = -coefficient * slip;
      for (std::size_t k = 0; k < item.links.size(); ++k)
        W.segment<6>(6 * item.links[k]) += multiplier * J(k, row);
    }
  }
}

void ViscousFriction::copy_multipliers(Vec& y) const {
  for (Eigen::Index row = 0; row < y.size(); ++row)
    if (rows_.replaced()[row]) y[row] = multipliers_[row];
}

void ViscousFriction::add_power(double& power) const {
  for (Eigen::Index row = 0; row < multipliers_.size(); ++row)
    if (rows_.replaced()[row])
      power -= multipliers_[row] * (bodies_.rows().a0[row] + multipliers_[row] * eps_ / mu_);
}

}  // namespace torsor::mechanics
