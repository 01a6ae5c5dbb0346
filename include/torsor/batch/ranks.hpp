#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace torsor::batch {

/// The processes of one program, on one machine or several, that share a batch. Every rank runs cases; rank 0
/// also writes the files. A process makes all calls from one thread.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Returns the text of rank 0 on every rank. Every rank must call it.
  virtual std::string broadcast(std::string text) = 0;
  /// Adds n to a counter that all ranks share and returns its previous value. The counter starts at 0.
  virtual std::int64_t fetch_add(std::int64_t n) = 0;

  /// Sends a message without waiting for its receipt.
  virtual void send(int to, std::string message) = 0;
  /// The number of messages of this rank that their receivers have not taken yet.
  virtual std::size_t unsent() = 0;
  /// A message that has arrived from any rank; empty if there is none. Messages of a rank keep their order.
  virtual std::optional<std::string> receive() = 0;
};

/// Does `work` on rank 0 first. If it throws there, the other ranks do nothing and get an empty result, so
/// that an error is reported once. Otherwise all other ranks do it too. With `ranks` null, does `work` once.
template <class Work>
auto after_rank_0(Ranks* ranks, const Work& work) -> std::optional<decltype(work())> {
  if (!ranks) return work();
  if (ranks->rank() != 0) return ranks->broadcast({}).empty() ? std::nullopt : std::optional(work());
  try {
    auto result = work();
    ranks->broadcast("done");
    return result;
  } catch (...) {
    ranks->broadcast({});
    throw;
  }
}

/// The ranks of the `mpirun` that started this program; nullptr if it was started without `mpirun`. The code
/// that needs MPI is in a separate module, torsor_mpi, which is loaded here, so that the program also runs
/// without an MPI installation. Throws std::runtime_error if the module cannot be loaded.
std::unique_ptr<Ranks> mpi_ranks();

}  // namespace torsor::batch
