#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "draw.hpp"

namespace torsor::batch {

/// Hands out each case of one shard that is still to be done, once. A turn is a position in the order in
/// which the cases are done. A single process gets all turns at the start; ranks get blocks of turns from a
/// counter that they share.
class CaseSource {
 public:
  /// The shard has the cases `first`, `first` + `stride`, ... below `cases`. `done[i]`: the i-th of them is
  /// done already.
  CaseSource(std::int64_t first, std::int64_t stride, std::int64_t cases, std::vector<bool> done,
             std::optional<std::uint64_t> shuffle)
      : first_(first), stride_(stride), size_(size(first, stride, cases)), done_(std::move(done)) {
    if (shuffle && size_ > 0) order_.emplace(*shuffle, 0, static_cast<std::uint64_t>(size_));
  }

  static std::int64_t size(std::int64_t first, std::int64_t stride, std::int64_t cases) {
    return first < cases ? (cases - first - 1) / stride + 1 : 0;
  }
  std::int64_t size() const { return size_; }

  /// Adds the turns [begin, end) of [0, size()).
  void give(std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(guard_);
    turns_.push_back({begin, end});
    given_.notify_all();
  }
  /// Says that no more turns will come.
  void close() {
    const std::lock_guard lock(guard_);
    closed_ = true;
    given_.notify_all();
  }
  /// `ask` is called, from any thread, when a thread waits for turns.
  void when_empty(std::function<void()> ask) { ask_ = std::move(ask); }

  /// The next case, empty if none is left. Any thread may call it. Waits while more turns may come.
  std::optional<std::int64_t> next() {
    while (const auto turn = next_turn()) {
      const auto i = order_ ? static_cast<std::int64_t>((*order_)(static_cast<std::uint64_t>(*turn))) : *turn;
      if (!done_[static_cast<std::size_t>(i)]) return first_ + stride_ * i;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::int64_t> next_turn() {
    std::unique_lock lock(guard_);
    if (turns_.empty() && !closed_) {
      lock.unlock();
      if (ask_) ask_();
      lock.lock();
      given_.wait(lock, [this] { return !turns_.empty() || closed_; });
    }
    if (turns_.empty()) return std::nullopt;
    auto& [turn, end] = turns_.front();
    const std::int64_t taken = turn++;
    if (turn == end) turns_.pop_front();
    return taken;
  }

  std::int64_t first_, stride_, size_;
  std::vector<bool> done_;
  std::optional<KeyedBijection> order_;
  std::function<void()> ask_;
  std::mutex guard_;
  std::condition_variable given_;
  std::deque<std::pair<std::int64_t, std::int64_t>> turns_;
  bool closed_ = false;
};

}  // namespace torsor::batch
