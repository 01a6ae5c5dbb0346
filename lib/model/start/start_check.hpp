#pragma once

#include <algorithm>

#include "torsor/model/start.hpp"

namespace torsor {

/// The unit of the tolerance of given lengths, m. `size`: the given length; `reach`: the greatest distance of a
/// body from the origin. It is 1 m, more for lengths above it, and less for mechanisms below 1 mm.
inline double unit_of_lengths(double size, double reach) {
  return size >= 1 ? size : std::min(1., std::max({1e-4, size / 1e-3, reach / 1e-3}));
}

/// The unit of the tolerance of given rates, m/s or rad/s. `speed`: the greatest rate; `least`: the unit where
/// it is of ordinary size, 1 or more. Below 1e-3 of that, the unit falls with the speed, so that a slow motion
/// is given to six digits, but not so far that the rounding of a rate that is 0 counts.
inline double unit_of_rates(double speed, double least = 1) {
  return std::min(std::max(least, speed), std::max(1e-4 * least, 1e3 * speed));
}

/// Errors in single entries of a start, one sentence each: wrong sizes, numbers that are not finite,
/// quaternions whose length is not 1, data that a particle does not have.
Reasons why_start_unusable(const Mechanism& mechanism, const Start& start);

/// Collects contradictions: a message for each of the first 20, and the number of the others.
class Contradictions {
 public:
  Contradictions(const Model& model, double tolerance) : model_(model), tolerance_(tolerance) {}

  /// Adds a contradiction if `residual` exceeds the tolerance times `unit`: `body "b": its position is off by 0.1 m from the value that joint "j" allows`.
  void require(double residual, double unit, int link, Reason::Field field, const char* quantity,
               const char* written_unit);
  void throw_if_any();

 private:
  const Model& model_;
  double tolerance_;
  Reasons reasons_;
  long more_ = 0;
};

}  // namespace torsor
