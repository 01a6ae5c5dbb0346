#include "set_aside.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <system_error>

#include "ledger.hpp"
#include "under_way.hpp"

namespace torsor::batch {
namespace fs = std::filesystem;
namespace {

bool is_table(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  return line == "# format: torsor/batch/2" || line == "# format: torsor/statistics/2";
}

}  // namespace

fs::path set_aside(const fs::path& path) {
  std::error_code failure;
  fs::path name = path.string() + ".damaged";
  for (int n = 2; fs::exists(fs::symlink_status(name, failure)); ++n)
    name = fmt::format("{}.damaged.{}", path.string(), n);
  fs::rename(path, name, failure);
  if (failure) throw io::IoError(fmt::format("cannot rename {}: {}", path.string(), failure.message()));
  return name;
}

fs::path set_ledger_aside(const fs::path& folder) {
  const fs::path file = Ledger::file_in(folder);
  fs::path aside = set_aside(file);
  std::error_code none;
  fs::rename(file.string() + "-wal", aside.string() + "-wal", none);
  fs::remove(file.string() + "-shm", none);
  return aside;
}

void remove_batch(const fs::path& folder) {
  std::error_code failure;
  UnderWay::remove_from(folder);
  for (const char* table : {"table.csv", "statistics.csv"})
    if (is_table(folder / table)) fs::remove(folder / table, failure);
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(Ledger::file_in(folder).string() + part, failure);
}

}  // namespace torsor::batch
