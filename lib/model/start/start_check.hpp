#pragma once

#include "torsor/model/start.hpp"

namespace torsor {

/// Errors in single entries of a start, one sentence each: wrong sizes, numbers that are not finite,
/// quaternions whose length is not 1, data that a particle does not have.
Reasons why_start_unusable(const Mechanism& mechanism, const Start& start);

/// Collects contradictions: a message for each of the first 20, and the number of the others.
class Contradictions {
 public:
  Contradictions(const Model& model, double tolerance) : model_(model), tolerance_(tolerance) {}

  /// Adds a contradiction if `residual` exceeds the tolerance times max(1, size), where `size` is the norm of
  /// the given quantity: `body "b": its position is off by 0.1 m from the value that joint "j" allows`.
  void require(double residual, double size, int link, Reason::Field field, const char* quantity,
               const char* unit);
  void throw_if_any();

 private:
  const Model& model_;
  double tolerance_;
  Reasons reasons_;
  long more_ = 0;
};

}  // namespace torsor
