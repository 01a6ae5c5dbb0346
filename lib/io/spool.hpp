#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "output_file.hpp"

namespace torsor {

/// Text that has to wait until what stands before it is known: in memory while it is short, else in a file
/// without a name beside the one that it is for.
class Spool {
 public:
  explicit Spool(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Append here, then call `spill`, which writes when enough has gathered.
  std::string bytes;
  void spill();
  /// Moves all of it behind what `out` has; the room that it took is given back on the way.
  void pour_into(OutputFile& out);

 private:
  std::filesystem::path folder_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace torsor
