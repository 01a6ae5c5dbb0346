#include "fiber.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <exception>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace torsor::batch {
namespace {

namespace context = boost::context;

/// Reports a change of stacks to AddressSanitizer and ThreadSanitizer; does nothing without them. Each
/// stack has one object. `leave` is called for the stack that is left, `arrive` for the one that is reached.
struct Side {
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* fake = nullptr;
  void* thread = nullptr;

  void leave([[maybe_unused]] const Side& to, [[maybe_unused]] bool for_good) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(for_good ? nullptr : &fake, to.bottom, to.size);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(to.thread, 0);
#endif
  }
  void arrive([[maybe_unused]] Side& from) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake, &from.bottom, &from.size);
#endif
  }
};

}  // namespace

struct Fiber::State {
  explicit State(std::function<void()> function) : body(std::move(function)) {
    context::protected_fixedsize_stack stacks(1 << 20);
    stack = stacks.allocate();
    own.bottom = static_cast<const char*>(stack.sp) - stack.size, own.size = stack.size;
#ifdef __SANITIZE_THREAD__
    own.thread = __tsan_create_fiber(0);
#endif
    fiber = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), stacks,
                           [this](context::fiber&& back) { return run(std::move(back)); });
  }
  ~State() {
    fiber = {};
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(own.thread);
#endif
  }

  context::fiber run(context::fiber&& back) {
    resumer = std::move(back);
    own.arrive(outer);
    try {
      body();
    } catch (const context::detail::forced_unwind&) {
      throw;
    } catch (...) {
      failure = std::current_exception();
    }
    ended = true;
    own.leave(outer, true);
    return std::move(resumer);
  }

  std::function<void()> body;
  context::stack_context stack;
  context::fiber fiber, resumer;
  Side own, outer;
  std::exception_ptr failure;
  bool ended = false;
};

bool Fiber::available() { return true; }

Fiber::Fiber(std::function<void()> body) : state_(std::make_unique<State>(std::move(body))) {}
Fiber::~Fiber() = default;
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;

bool Fiber::ended() const { return state_->ended; }

void Fiber::resume() {
  State& s = *state_;
#ifdef __SANITIZE_THREAD__
  s.outer.thread = __tsan_get_current_fiber();
#endif
  s.outer.leave(s.own, false);
  s.fiber = std::move(s.fiber).resume();
  s.outer.arrive(s.own);
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

void Fiber::stop() {
  State& s = *state_;
  s.own.leave(s.outer, false);
  s.resumer = std::move(s.resumer).resume();
  s.own.arrive(s.outer);
}

}  // namespace torsor::batch
