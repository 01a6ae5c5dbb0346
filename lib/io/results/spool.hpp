#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "io/output_file.hpp"

namespace torsor::io {

/// Holds text until the text that precedes it in a file is known. Short text stays in memory; longer text
/// goes to a temporary file without a name, in the folder of the output.
class Spool {
 public:
  explicit Spool(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Append text here, then call `spill`, which writes the text to the temporary file once it has 1 MiB.
  std::string bytes;
  void spill();
  /// Appends all of the text to `out`, and frees its disk space step by step.
  void pour_into(OutputFile& out);

 private:
  std::filesystem::path folder_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace torsor::io
