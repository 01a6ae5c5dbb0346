#include "under_way.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "partial_file.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor {
namespace batch {
namespace {

thread_local volatile std::int64_t* own_slot = nullptr;

std::filesystem::path file_in(const std::filesystem::path& folder) { return folder / "under_way"; }

}  // namespace

std::vector<UnderWay::Left> UnderWay::left_in(const std::filesystem::path& folder) {
  std::vector<Left> cases;
  std::ifstream file(file_in(folder), std::ios::binary);
  for (std::int64_t slot = 0; file.read(reinterpret_cast<char*>(&slot), sizeof slot);)
    if (slot != 0) cases.push_back({std::abs(slot) - 1, slot < 0});
  return cases;
}

UnderWay::UnderWay(const std::filesystem::path& folder, int threads)
    : bytes_(static_cast<std::size_t>(threads) * sizeof(std::int64_t)) {
  const std::filesystem::path path = file_in(folder);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) throw system_error("create", path);
  // Space is taken now: on a full disk a store to the map would be a signal.
  const std::vector<char> zeros(bytes_);
  const bool written = ::write(file, zeros.data(), bytes_) == static_cast<::ssize_t>(bytes_);
  void* map = written ? ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (map == MAP_FAILED) {
    const IoError error = system_error("write", path);
    ::close(file);
    throw error;
  }
  ::close(file);
  slots_ = static_cast<volatile std::int64_t*>(map);
}

void UnderWay::begin(int thread, std::int64_t k) {
  own_slot = slots_ + thread;
  *own_slot = k + 1;
}

UnderWay::~UnderWay() {
  own_slot = nullptr;
  ::munmap(const_cast<std::int64_t*>(slots_), bytes_);
}

}  // namespace batch

void note_crash() noexcept {
  if (batch::own_slot != nullptr && *batch::own_slot > 0) *batch::own_slot = -*batch::own_slot;
}

}  // namespace torsor
