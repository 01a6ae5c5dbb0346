#pragma once

#include <concepts>
#include <map>
#include <string>
#include <vector>

#include "document.hpp"
#include "run/did_you_mean.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// Collects the errors of one file. Only the first message at each position is kept. The first `limit` errors
/// are shown with their messages; the others are only counted.
class Diagnostics {
 public:
  static constexpr std::size_t limit = 50;

  Diagnostics(std::string file, const Overrides& overrides) : file_(std::move(file)), overrides_(overrides) {}

  void error(const Position& at, std::string message);
  /// As above, but composes the message only if it will be shown. For messages that need a search through all
  /// names.
  template <std::invocable Compose>
  void error(const Position& at, const Compose& compose) {
    error(at, full() || found_.contains(at) ? std::string() : compose());
  }
  const std::string& file() const { return file_; }
  bool empty() const { return found_.empty(); }
  /// Whether there is an error at a position in [begin, end).
  bool any_between(const Position& begin, const Position& end) const;
  /// Throws a SceneError with all errors, sorted by position, if there are any.
  void throw_if_any() const;
  /// Throws a SceneError with this error alone, for an error after which nothing can be read.
  [[noreturn]] void throw_error(const Position& at, std::string message) const;
  /// The same for a file that exceeds a size limit.
  [[noreturn]] void throw_limit(const Position& at, std::string message) const;

 private:
  bool full() const { return found_.size() >= limit; }
  Diagnostic diagnostic(const Position& at, std::string message) const;

  struct InOrder {
    bool operator()(const Position& a, const Position& b) const;
  };
  std::string file_;
  const Overrides& overrides_;
  std::map<Position, std::string, InOrder> found_;  ///< an empty message: the error is only counted
};

}  // namespace torsor::scene
