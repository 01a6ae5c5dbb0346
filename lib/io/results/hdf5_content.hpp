#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "io/child_process.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::io {

/// The contents of an HDF5 file in memory: datasets of numbers and of texts by their absolute paths, and the
/// attributes of the root.
struct Hdf5Content {
  struct Set {
    std::vector<std::uint64_t> shape;
    std::variant<std::vector<double>, std::vector<std::string>> values;
  };
  std::map<std::string, Set> sets;
  std::vector<Fact> facts;
};

/// Reads an open HDF5 file and writes its contents to `out`, or the reason why it cannot be read. Call this
/// in a process in which a crash of the HDF5 library does no harm.
void send_content(int file, const ByteSink& out);

/// Receives the contents that `send_content` wrote: at most `most_bytes` of numbers and texts. Throws
/// ResultError with the reason if the file could not be read, or if the bytes do not come from
/// `send_content`.
Hdf5Content receive_content(const ByteSource& in, std::uint64_t most_bytes);

/// Reads an open HDF5 file: a child process calls `send_content`, this process calls `receive_content`.
/// Throws ResultError with a message that begins with the path.
Hdf5Content read_content(int file, const std::filesystem::path& path);

}  // namespace torsor::io
