#include "fiber.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <exception>
#include <utility>

namespace torsor::batch {

struct Fiber::State {
  explicit State(std::function<void()> function)
      : body(std::move(function)),
        fiber(std::allocator_arg, boost::context::protected_fixedsize_stack(1 << 20),
              [this](boost::context::fiber&& back) { return run(std::move(back)); }) {}

  boost::context::fiber run(boost::context::fiber&& back) {
    resumer = std::move(back);
    try {
      body();
    } catch (const boost::context::detail::forced_unwind&) {
      throw;
    } catch (...) {
      failure = std::current_exception();
    }
    ended = true;
    return std::move(resumer);
  }

  std::function<void()> body;
  boost::context::fiber resumer;
  std::exception_ptr failure;
  bool ended = false;
  boost::context::fiber fiber;  ///< destroyed first: this unwinds its stack, which uses the other members
};

bool Fiber::available() { return true; }

Fiber::Fiber(std::function<void()> body) : state_(std::make_unique<State>(std::move(body))) {}
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;

bool Fiber::ended() const { return state_->ended; }

void Fiber::resume() {
  State& s = *state_;
  s.fiber = std::move(s.fiber).resume();
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

void Fiber::stop() { state_->resumer = std::move(state_->resumer).resume(); }

}  // namespace torsor::batch
