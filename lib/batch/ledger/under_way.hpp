#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace torsor::batch {

/// Records which case each thread or lane runs, in a small file that survives the process. The file begins
/// with `mark`; one number for each slot follows. An update writes one number to mapped memory.
class UnderWay {
 public:
  struct Left {
    std::int64_t number;
    bool crashed;  ///< it crashed the process
  };
  static constexpr std::string_view mark = "torsor/under_way";
  /// The cases that earlier processes left in their files of this folder.
  static std::vector<Left> left_in(const std::filesystem::path& folder);
  static void remove_from(const std::filesystem::path& folder);

  /// Each rank has its own file: `under_way`, `under_way.1`, ... Throws IoError.
  UnderWay(const std::filesystem::path& folder, int slots, int rank = 0);
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  /// Records that a slot, which is a thread or a lane of a thread, now runs case k in this thread.
  void begin(int slot, std::int64_t k);
  /// Records that this thread now runs the case of a slot.
  void enter(int slot);

 private:
  char* map_ = nullptr;                     ///< the whole file
  volatile std::int64_t* slots_ = nullptr;  ///< case + 1, negative if it crashed; 0: none yet
  std::size_t bytes_;
};

}  // namespace torsor::batch
