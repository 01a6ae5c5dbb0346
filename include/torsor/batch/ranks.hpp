#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace torsor {

/// The processes of one program on one machine or many, as a batch needs them. Every rank computes; rank 0
/// writes as well. All calls of a process come from one thread.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// The text of rank 0, for all; every rank calls it.
  virtual std::string broadcast(std::string text) = 0;
  /// Adds n to a counter that all ranks share, 0 at first, and gives what it was before.
  virtual std::int64_t fetch_add(std::int64_t n) = 0;

  /// Sends without waiting.
  virtual void send(int to, std::string message) = 0;
  /// Messages of this rank that their receivers have not taken yet.
  virtual std::size_t unsent() = 0;
  /// A message that is there, from any rank; those of one rank come in their order.
  virtual std::optional<std::string> receive() = 0;
};

/// Does `work` on rank 0, and where it threw nothing there on all others, so that a mistake is told once. A
/// rank that is not to do it has nothing. Without ranks just does it.
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

/// The ranks of the `mpirun` that started this program; nothing where none did. MPI stands in a module of its
/// own, torsor_mpi, that is loaded here, so that the program runs where MPI is not installed. Throws
/// std::runtime_error where the module cannot be had.
std::unique_ptr<Ranks> mpi_ranks();

}  // namespace torsor
