#pragma once

#include <chrono>
#include <string>

#include "progress.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor::cli {

/// How far a batch is, on standard error: a bar where people read it, or one JSON object a second.
class BatchProgress {
 public:
  enum class Form { bar, json, none };
  BatchProgress(std::string name, Form form);

  void at(const BatchState& state);
  /// The last word.
  void end(const BatchState& state);

 private:
  using Clock = std::chrono::steady_clock;
  void tell_json(const BatchState& state) const;

  std::string name_;
  Form form_;
  StatusLine line_;
  Clock::time_point next_;  ///< of JSON
};

}  // namespace torsor::cli
