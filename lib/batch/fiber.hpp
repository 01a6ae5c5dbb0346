#pragma once

#include <functional>
#include <memory>

namespace torsor::batch {

/// A function that can stop in its midst, to be gone on with later by the same thread. Its stack is a
/// megabyte behind a guard page.
class Fiber {
 public:
  /// Whether this build has fibers (Boost.Context).
  static bool available();

  /// Throws std::bad_alloc where there is no room for a stack.
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(Fiber&&) noexcept;
  Fiber& operator=(Fiber&&) noexcept;

  /// Goes on with the body until it ends or stops. Throws what the body threw.
  void resume();
  bool ended() const;
  /// To be called in the body: back to whoever resumed it.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace torsor::batch
