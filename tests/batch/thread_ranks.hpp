#pragma once

#include <barrier>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "torsor/batch/batch.hpp"

namespace torsor::test {

/// Ranks as threads of one process.
class ThreadRanks {
 public:
  explicit ThreadRanks(int size) : all_(static_cast<std::size_t>(size)), meeting_(size) {}

  /// Calls `rank(ranks)` on each rank; rethrows the exception of rank 0.
  template <class Rank>
  void run(const Rank& rank) {
    std::exception_ptr mistake;
    std::vector<std::jthread> threads;
    for (int i = 0; i < static_cast<int>(all_.size()); ++i)
      threads.emplace_back([&, i] {
        One ranks(*this, i);
        try {
          rank(ranks);
        } catch (...) {
          if (i == 0) mistake = std::current_exception();
        }
      });
    threads.clear();
    if (mistake) std::rethrow_exception(mistake);
  }

 private:
  struct Inbox {
    std::deque<std::pair<int, std::string>> letters;
    std::size_t unsent = 0;  ///< messages of this rank that wait in the inboxes of other ranks
  };
  class One final : public batch::Ranks {
   public:
    One(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(all_.all_.size()); }
    std::string broadcast(std::string text) override {
      if (rank_ == 0) all_.told_ = std::move(text);
      all_.meeting_.arrive_and_wait();
      std::string told = all_.told_;
      all_.meeting_.arrive_and_wait();
      return told;
    }
    std::int64_t fetch_add(std::int64_t n) override {
      const std::lock_guard lock(all_.guard_);
      return std::exchange(all_.counter_, all_.counter_ + n);
    }
    void send(int to, std::string message) override {
      const std::lock_guard lock(all_.guard_);
      all_.box(to).letters.emplace_back(rank_, std::move(message));
      ++all_.box(rank_).unsent;
    }
    std::size_t unsent() override {
      const std::lock_guard lock(all_.guard_);
      return all_.box(rank_).unsent;
    }
    std::optional<std::string> receive() override {
      const std::lock_guard lock(all_.guard_);
      auto& letters = all_.box(rank_).letters;
      if (letters.empty()) return std::nullopt;
      auto [from, text] = std::move(letters.front());
      letters.pop_front();
      --all_.box(from).unsent;
      return text;
    }

   private:
    ThreadRanks& all_;
    int rank_;
  };

  Inbox& box(int rank) { return all_[static_cast<std::size_t>(rank)]; }

  std::vector<Inbox> all_;
  std::barrier<> meeting_;
  std::mutex guard_;
  std::string told_;
  std::int64_t counter_ = 0;
};

}  // namespace torsor::test
