// The module torsor_mpi: implements Ranks with MPI.
#include <mpi.h>

#include <deque>
#include <limits>
#include <stdexcept>
#include <string>

#include "torsor/batch/ranks.hpp"

namespace torsor::batch {
namespace {

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const MPI_Aint bytes = rank_ == 0 ? sizeof(std::int64_t) : 0;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &counter_, &window_);
    if (rank_ == 0) *counter_ = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  }
  ~MpiRanks() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Finalize();
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::string broadcast(std::string text) override {
    std::int64_t bytes = count_of(text);
    MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    text.resize(static_cast<std::size_t>(bytes));
    MPI_Bcast(text.data(), static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
    return text;
  }

  std::int64_t fetch_add(std::int64_t n) override {
    std::int64_t before = 0;
    MPI_Fetch_and_op(&n, &before, MPI_INT64_T, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
    return before;
  }

  /// A synchronous send: until a message is received, it waits in the memory of the sender and not in the
  /// memory of the receiver. Ranks other than 0 use `unsent` to limit the number of waiting messages.
  void send(int to, std::string message) override {
    Letter& letter = letters_.emplace_back(Letter{std::move(message), MPI_REQUEST_NULL});
    MPI_Issend(letter.text.data(), count_of(letter.text), MPI_BYTE, to, 0, MPI_COMM_WORLD, &letter.request);
  }

  std::size_t unsent() override {
    for (int taken = 1; !letters_.empty();) {
      MPI_Test(&letters_.front().request, &taken, MPI_STATUS_IGNORE);
      if (!taken) break;
      letters_.pop_front();
    }
    return letters_.size();
  }

  std::optional<std::string> receive() override {
    int waits = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &waits, &message, &status);
    if (!waits) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    MPI_Mrecv(text.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return text;
  }

 private:
  struct Letter {
    std::string text;
    MPI_Request request;
  };

  static int count_of(const std::string& text) {
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw std::length_error("a message between ranks is longer than 2 GB");
    return static_cast<int>(text.size());
  }

  int rank_ = 0, size_ = 1;
  std::int64_t* counter_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  std::deque<Letter> letters_;  ///< not yet received; MPI needs them at fixed addresses
};

}  // namespace
}  // namespace torsor::batch

/// The function that mpi_ranks looks up in the module.
extern "C" torsor::batch::Ranks* torsor_make_mpi_ranks() { return new torsor::batch::MpiRanks; }
