#pragma once

#include "torsor/model/start.hpp"

namespace torsor {

/// What is wrong with a start by itself: sizes, numbers that are not finite, quaternions that are none,
/// velocities given to no avail. One sentence each.
Reasons why_start_unusable(const Mechanism& mechanism, const Start& start);

/// Collects contradictions, the first few of them in words.
class Contradictions {
 public:
  Contradictions(const Model& model, double tolerance) : model_(model), tolerance_(tolerance) {}

  /// Notes that what is given (a size) is off by `residual` at a link: "body "b": its position is 0.1 m from
  /// where joint "j" puts it".
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
