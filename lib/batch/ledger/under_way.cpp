#include "under_way.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>

#include "io/output_file.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor::batch {
namespace {

thread_local volatile std::int64_t* own_slot = nullptr;

constexpr const char* name = "under_way";

/// Whether a file has a name of ours: `under_way`, `under_way.1`, ...
bool has_own_name(const std::filesystem::path& path) {
  const std::string rank = path.extension().string();
  return path.stem() == name && rank != "." && rank.find_first_not_of("0123456789", 1) == rank.npos;
}

/// Opens a file of running cases and reads its mark. A file that ends within the mark is a file of running
/// cases too: a crash or a full disk left it, and it has no cases. Returns false if the file begins
/// differently.
bool open_behind_mark(const std::filesystem::path& path, std::ifstream& file) {
  char first[UnderWay::mark.size()] = {};
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  file.open(path, std::ios::binary);
  if (!file.is_open()) return false;
  file.read(first, sizeof first);
  return !file.bad() &&
         UnderWay::mark.starts_with(std::string_view(first, static_cast<std::size_t>(file.gcount())));
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    std::ifstream file;
    if (has_own_name(entry->path()) && open_behind_mark(entry->path(), file)) files.push_back(entry->path());
  }
  if (failure) throw io::IoError(fmt::format("cannot read {}: {}", folder.string(), failure.message()));
  return files;
}

}  // namespace

std::vector<UnderWay::Left> UnderWay::left_in(const std::filesystem::path& folder) {
  std::vector<Left> cases;
  for (const auto& path : files_in(folder)) {
    std::ifstream file;
    open_behind_mark(path, file);
    for (std::int64_t slot = 0; file.read(reinterpret_cast<char*>(&slot), sizeof slot);)
      if (slot != 0) cases.push_back({std::abs(slot) - 1, slot < 0});
  }
  return cases;
}

void UnderWay::remove_from(const std::filesystem::path& folder) {
  std::error_code failure;
  for (const auto& path : files_in(folder)) {
    std::filesystem::remove(path, failure);
    if (failure) throw io::IoError(fmt::format("cannot remove {}: {}", path.string(), failure.message()));
  }
}

UnderWay::UnderWay(const std::filesystem::path& folder, int slots, int rank)
    : bytes_(mark.size() + static_cast<std::size_t>(slots) * sizeof(std::int64_t)) {
  const std::filesystem::path path = folder / (rank == 0 ? name : name + ("." + std::to_string(rank)));
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) throw io::system_error("create", path);
  // The whole file is written now: on a full disk a later store to the map would raise a signal.
  std::string content(mark);
  content.resize(bytes_, '\0');
  std::string_view rest = content;
  while (!rest.empty()) {
    const ::ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  void* map =
      rest.empty() ? ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (map == MAP_FAILED) {
    const io::IoError error = io::system_error("write", path);
    ::close(file);
    ::unlink(path.c_str());
    throw error;
  }
  ::close(file);
  map_ = static_cast<char*>(map);
  slots_ = reinterpret_cast<volatile std::int64_t*>(map_ + mark.size());
}

void UnderWay::enter(int slot) { own_slot = slots_ + slot; }

void UnderWay::begin(int slot, std::int64_t k) {
  enter(slot);
  *own_slot = k + 1;
}

UnderWay::~UnderWay() {
  own_slot = nullptr;
  ::munmap(map_, bytes_);
}

void note_crash() noexcept {
  if (own_slot != nullptr && *own_slot > 0) *own_slot = -*own_slot;
}

}  // namespace torsor::batch
