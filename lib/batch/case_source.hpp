#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "draw.hpp"

namespace torsor::batch {

/// The case numbers of one shard that are still to be done, given out once each to whoever asks. They come
/// from one counter; ranks would take blocks of it from one that they share.
class CaseSource {
 public:
  /// Cases `first`, `first` + `stride`, ... below `cases`. `done` tells of the i-th of them.
  CaseSource(std::int64_t first, std::int64_t stride, std::int64_t cases, std::vector<bool> done,
             std::optional<std::uint64_t> shuffle)
      : first_(first), stride_(stride), size_(size(first, stride, cases)), done_(std::move(done)) {
    if (shuffle && size_ > 0) order_.emplace(*shuffle, 0, static_cast<std::uint64_t>(size_));
  }

  static std::int64_t size(std::int64_t first, std::int64_t stride, std::int64_t cases) {
    return first < cases ? (cases - first - 1) / stride + 1 : 0;
  }

  /// Any thread may ask.
  std::optional<std::int64_t> next() {
    while (true) {
      const std::int64_t turn = counter_.fetch_add(1, std::memory_order_relaxed);
      if (turn >= size_) return std::nullopt;
      const auto i = order_ ? static_cast<std::int64_t>((*order_)(static_cast<std::uint64_t>(turn))) : turn;
      if (!done_[static_cast<std::size_t>(i)]) return first_ + stride_ * i;
    }
  }

 private:
  std::int64_t first_, stride_, size_;
  std::vector<bool> done_;
  std::optional<KeyedBijection> order_;
  std::atomic<std::int64_t> counter_ = 0;
};

}  // namespace torsor::batch
