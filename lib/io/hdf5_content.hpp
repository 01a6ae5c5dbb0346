#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "child_process.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor {

/// What an HDF5 file holds, read out: datasets of numbers and of texts by their absolute paths, and the
/// attributes of the root.
struct Hdf5Content {
  struct Set {
    std::vector<std::uint64_t> shape;
    std::variant<std::vector<double>, std::vector<std::string>> values;
  };
  std::map<std::string, Set> sets;
  std::vector<Fact> facts;
};

/// Reads an open HDF5 file, to be called where a crash of the library does no harm: what stands in the file
/// goes to `out`, or why it cannot be read.
void send_content(int file, const ByteSink& out);

/// What was sent. `most_bytes` of numbers and texts are taken at most. Throws ResultError with the reason
/// where the file could not be read, or where that is not what `send_content` sends.
Hdf5Content receive_content(const ByteSource& in, std::uint64_t most_bytes);

/// Both in two processes. Throws ResultError "<path> ...".
Hdf5Content read_content(int file, const std::filesystem::path& path);

}  // namespace torsor
