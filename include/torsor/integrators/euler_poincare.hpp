#pragma once

#include <optional>
#include <string>

#include "torsor/lie/types.hpp"

namespace torsor {

class System;

/// The Euler-Poincare equations, which the symplectic methods need: a constant left-invariant metric G and
/// forces that depend on t and q only,
///
///   G v' = ad*_v G v + f(t, q).
///
/// The functions after `why_not` are defined only where it returns nothing.
class EulerPoincare {
 public:
  virtual ~EulerPoincare() = default;

  /// Why the system does not have this form, or nothing.
  virtual std::optional<std::string> why_not() const { return std::nullopt; }

  virtual void momentum(VecIn v, VecOut p) const = 0;                  ///< G v
  virtual void momentum_inverse(VecIn p, VecOut v) const = 0;          ///< G^-1 p
  virtual void position_force(double t, VecIn q, VecOut f) const = 0;  ///< f(t, q)
  virtual void ad_transpose(VecIn v, VecIn p, VecOut out) const = 0;   ///< ad_v^T p = ad*_v p
  /// The transpose of dexp_inv(xi), applied to a momentum.
  virtual void dexp_inv_transpose(VecIn xi, VecIn p, VecOut out) const = 0;
};

/// The equations of a system in this form. Throws std::logic_error if the system does not have it; the
/// `why_unsuitable` of a method says so beforehand.
const EulerPoincare& euler_poincare_of(const System& system);

}  // namespace torsor
