#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace torsor::batch {

/// Which case each thread runs, in a small file that survives the process. Its first line names the format;
/// one number for each thread follows. An update writes one number to mapped memory.
class UnderWay {
 public:
  struct Left {
    std::int64_t number;
    bool crashed;  ///< it brought the process down
  };
  /// The cases that earlier processes left in their files of this folder.
  /// What such a file begins with.
  static constexpr std::string_view mark = "torsor/under_way";
  static std::vector<Left> left_in(const std::filesystem::path& folder);
  static void remove_from(const std::filesystem::path& folder);

  /// Ranks have a file each, `under_way` and `under_way.1`, ... Throws IoError.
  UnderWay(const std::filesystem::path& folder, int slots, int rank = 0);
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  /// `slot`: of a thread, or of a lane of a thread.
  void begin(int slot, std::int64_t k);
  /// This thread goes on with the case of that slot.
  void enter(int slot);

 private:
  char* map_ = nullptr;                     ///< of the whole file
  volatile std::int64_t* slots_ = nullptr;  ///< case + 1, negative where it crashed; 0: none yet
  std::size_t bytes_;
};

}  // namespace torsor::batch
