#pragma once

#include <functional>
#include <memory>

namespace torsor::batch {

/// A function that can suspend itself and be resumed later by the same thread. Its stack has 1 MiB and a
/// guard page.
class Fiber {
 public:
  /// Whether this build has fibers (Boost.Context).
  static bool available();

  /// Throws std::bad_alloc if there is no memory for a stack.
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(Fiber&&) noexcept;
  Fiber& operator=(Fiber&&) noexcept;

  /// Runs the body until it returns or calls stop(). Rethrows an exception of the body.
  void resume();
  bool ended() const;
  /// Called within the body: suspends the body, and resume() returns.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace torsor::batch
