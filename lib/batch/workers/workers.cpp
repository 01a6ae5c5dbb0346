#include "workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "batch/lanes/lanes.hpp"

namespace torsor::batch {
namespace {

/// A stack for the signal handlers of this thread. Without it, no handler could note a crash by an overflow of
/// the thread's own stack.
class SignalStack {
 public:
  SignalStack() : memory_(size) {
    ::stack_t own = {};
    own.ss_sp = memory_.data();
    own.ss_size = memory_.size();
    ::sigaltstack(&own, &before_);
  }
  ~SignalStack() { ::sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t size = 65536;  // bytes; the registers of AVX-512 and AMX need 12 kB of it
  std::vector<char> memory_;
  ::stack_t before_ = {};
};

}  // namespace

int thread_count(const BatchOptions& options) {
  if (options.threads > 0) return options.threads;
  return options.ranks ? 1 : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int lane_count(const Study& study, const BatchOptions& options) {
  return options.lanes ? Lanes::count(study) : 1;
}

Workers::Workers(int threads, int lanes, CaseSource& source, UnderWay& under_way, Run run)
    : source_(source), under_way_(under_way), run_(std::move(run)), lanes_(lanes), working_(threads) {
  source_.when_empty([this] {
    const std::lock_guard lock(guard_);
    hungry_ = true;
    filled_.notify_one();
  });
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error& error) {
    stop();
    throw std::system_error(error.code(),
                            fmt::format("cannot start thread {} of {}", threads_.size() + 1, threads));
  } catch (const std::bad_alloc&) {
    stop();
    throw;
  }
}

void Workers::stop() {
  const std::lock_guard lock(guard_);
  stopped_ = true;
  source_.close();
  emptied_.notify_all();
}

void Workers::throw_if_failed() {
  const std::lock_guard lock(guard_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Call it in a catch block: keeps the first exception, and stops all threads.
void Workers::fail() {
  {
    const std::lock_guard lock(guard_);
    if (!failure_) failure_ = std::current_exception();
  }
  stop();
}

void Workers::work(int thread) {
  const SignalStack signals;
  const int first = thread * lanes_;
  try {
    if (lanes_ > 1)
      Lanes(lanes_).run([&](int lane) { run_cases(first + lane); },
                        [&](int lane) { under_way_.enter(first + lane); });
    else
      run_cases(first);
  } catch (const std::exception&) {
    fail();
  }
  const std::lock_guard lock(guard_);
  --working_;
  filled_.notify_one();
}

void Workers::run_cases(int slot) try {
  while (!stopped_) {
    const auto k = source_.next();
    if (!k) break;
    under_way_.begin(slot, *k);
    auto result = run_(*k);
    if (!result) break;
    std::unique_lock lock(guard_);
    emptied_.wait(lock,
                  [this] { return (queue_.size() < most_cases && numbers_ < most_numbers) || stopped_; });
    numbers_ += result->whole ? result->whole->rows.size() : 0;
    queue_.push_back(std::move(*result));
    if (enough()) filled_.notify_one();
  }
} catch (const std::exception&) {  // stops the other lanes of the thread too
  fail();
}

std::deque<CaseResult> Workers::take(std::chrono::milliseconds wait) {
  std::unique_lock lock(guard_);
  filled_.wait_for(lock, wait, [this] { return enough() || working_ == 0 || hungry_; });
  numbers_ = 0;
  emptied_.notify_all();
  return std::exchange(queue_, {});
}

bool Workers::hungry() {
  const std::lock_guard lock(guard_);
  return std::exchange(hungry_, false);
}

bool Workers::finished() {
  const std::lock_guard lock(guard_);
  return working_ == 0 && queue_.empty();
}

}  // namespace torsor::batch
