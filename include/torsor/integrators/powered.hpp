#pragma once

#include "torsor/lie/types.hpp"

namespace torsor {

/// The power of the forces of a system that are not -dV/dx, and of its constraints with nonzero a0: the rate
/// at which kinetic plus potential energy changes, W.
class Powered {
 public:
  virtual ~Powered() = default;
  /// Whether this power is always 0.
  virtual bool conserves_energy() const = 0;
  /// The acceleration and the power at (t, q, v).
  virtual void acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const = 0;
};

/// The parts of the power of a system with constraint rows.
class PoweredRows : public Powered {
 public:
  /// The part that the loads supply at (t, q, v).
  virtual double load_power(double t, VecIn q, VecIn v) const = 0;
  /// a0. The constraints supply the power -lambda a0.
  virtual void row_offsets(double t, VecIn q, VecOut a0) const = 0;
};

}  // namespace torsor
