#pragma once

#include <concepts>
#include <map>
#include <string>
#include <vector>

#include "document.hpp"
#include "torsor/scene/diagnostic.hpp"
#include "torsor/sim/did_you_mean.hpp"

namespace torsor::scene {

/// Collects what is wrong with one file; the first message at each place counts. The first `limit` places are
/// told with their messages, the others are counted.
class Diagnostics {
 public:
  static constexpr std::size_t limit = 50;

  Diagnostics(std::string file, const Overrides& overrides) : file_(std::move(file)), overrides_(overrides) {}

  void error(const Position& at, std::string message);
  /// The same, composed only where it will be told: for messages that look through all names.
  template <std::invocable Compose>
  void error(const Position& at, const Compose& compose) {
    error(at, full() || found_.contains(at) ? std::string() : compose());
  }
  bool empty() const { return found_.empty(); }
  /// Whether anything was found from `begin` on and before `end`.
  bool any_between(const Position& begin, const Position& end) const;
  /// Throws a SceneError, sorted by place, if anything was found.
  void throw_if_any() const;
  /// Throws for this alone, where nothing behind it can be read.
  [[noreturn]] void throw_error(const Position& at, std::string message) const;
  /// The same for a file that is beyond a size limit.
  [[noreturn]] void throw_limit(const Position& at, std::string message) const;

 private:
  bool full() const { return found_.size() >= limit; }
  Diagnostic diagnostic(const Position& at, std::string message) const;

  struct InOrder {
    bool operator()(const Position& a, const Position& b) const;
  };
  std::string file_;
  const Overrides& overrides_;
  std::map<Position, std::string, InOrder> found_;  ///< empty messages: counted alone
};

}  // namespace torsor::scene
