#pragma once

#include <chrono>
#include <string>

#include "progress.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor::cli {

/// Writes the progress of a batch to standard error: a bar on a terminal, or one JSON object a second.
class BatchProgress {
 public:
  enum class Form { bar, json, none };
  BatchProgress(std::string name, Form form);

  void at(const batch::BatchState& state);
  /// Erases the bar, or writes the last JSON object.
  void end(const batch::BatchState& state);

 private:
  using Clock = std::chrono::steady_clock;
  void tell_json(const batch::BatchState& state) const;

  std::string name_;
  Form form_;
  StatusLine line_;
  Clock::time_point next_;  ///< time of the next JSON object
};

}  // namespace torsor::cli
