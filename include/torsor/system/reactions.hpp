#pragma once

#include <vector>

#include "torsor/system/mechanism_system.hpp"

namespace torsor {

/// The wrench that one joint outside the tree, or one constraint, exerts for given multipliers of the m rows
/// of a mechanism.
struct Reaction {
  int item = 0;    ///< index in constraints().items()
  Wrench on_body;  ///< on the link Item::first_named, at its mass centre, world axes
  Vec multipliers;
  double power = 0;  ///< -lambda a0, W
};
/// The reactions at (t, q, v). Adds the wrenches on all links to `on_links`. Throws std::invalid_argument if
/// there are too few multipliers for the rows or too few wrenches for the links.
std::vector<Reaction> reactions(const MechanismSystem& system, double t, VecIn q, VecIn v, VecIn lambda,
                                std::vector<Wrench>& on_links);

/// Over the m rows, 1 for redundant rows at (t, q).
std::vector<char> redundant_rows(const MechanismSystem& system, double t, VecIn q);

/// Over constraints().items(), 1 where the multipliers at (t, q) are unique: no vanishing combination of rows
/// involves rows of the item.
std::vector<char> unique_multipliers(const MechanismSystem& system, double t, VecIn q);

/// How a violation of one constraint row would evolve at one state, phi or psi = A v + a0:
///
///   (m_RR phi')' + c_RR phi' + k_RR phi = 0,     (m_RR psi)' + c_RR psi = 0.
///
/// This is the equation of motion of the row, with its own inertia, damping and stiffness; the header of
/// MechanismSystem has the formulas. Units, with the row in U: m_RR kg m^2/U^2, c_RR N m s/U^2, k_RR N m/U^2.
/// doi 10.1007/s11044-022-09831-y, (92)-(97).
struct RowMotion {
  double inertia = 0;       ///< m_RR; 0 for a redundant row
  double inertia_rate = 0;  ///< m_RR', along the motion
  double damping = 0;       ///< c_RR
  double stiffness = 0;     ///< k_RR; 0 for rows without phi
  bool holonomic = true;

  double relative_damping() const { return (damping + inertia_rate) / inertia; }  ///< 1/s
  double relative_stiffness() const { return stiffness / inertia; }               ///< 1/s^2
  /// The rate at which a violation grows, 1/s, if the coefficients stay constant: the greatest real part of
  /// the roots. A violation decays if this rate is negative, and stays if it is 0.
  double growth() const;
};

/// Over the m rows at (t, q, v), by central differences in q and v. The cost is that of 3 m accelerations.
std::vector<RowMotion> row_motions(const MechanismSystem& system, double t, VecIn q, VecIn v);

}  // namespace torsor
