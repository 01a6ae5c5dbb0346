#include "segments.hpp"

#include <fmt/format.h>

#include <cinttypes>
#include <cstdio>
#include <system_error>
#include <utility>

#include "io/result.hpp"
#include "set_aside.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::batch {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_numbers = 8 << 20;  // in the trajectories of an open segment: 64 MiB

/// Empty if the file is missing or damaged.
std::optional<std::string> hash_of(const fs::path& path) try {
  return io::segment_hash(path);
} catch (const io::ResultError&) {
  return std::nullopt;
} catch (const io::IoError&) {
  return std::nullopt;
}

bool is_segment(const std::string& name) {
  std::int64_t number = 0;
  return std::sscanf(name.c_str(), "trajectories/segment_%" SCNd64, &number) == 1 &&
         name == segment_file(number);
}

}  // namespace

std::string segment_file(std::int64_t number) { return fmt::format("trajectories/segment_{:06}.h5", number); }

void add_segment(Ledger& ledger, std::int64_t number, const std::string& hash, std::int64_t cases) {
  Inserter(ledger.database(), "segments", 4).add({number, segment_file(number), hash, cases});
}

Segments::Segments(const fs::path& folder, Ledger& ledger, std::vector<io::Column> columns)
    : folder_(folder),
      ledger_(ledger),
      last_(greatest(ledger.database(), "number", "segments")),
      columns_(std::move(columns)) {}

std::int64_t Segments::check() {
  struct Listed {
    std::int64_t number;
    std::string file, hash;
    std::int64_t cases;
  };
  std::vector<Listed> all;
  Database& database = ledger_.database();
  for (Statement row = database.prepare("SELECT number, file, hash, cases FROM segments"); row.step();)
    all.push_back({row.integer(0), row.text(1), row.text(2), row.integer(3)});
  database.begin();
  for (const auto& [number, file, hash, cases] : all) {
    Statement count = database.prepare("SELECT count(*) FROM cases WHERE segment = ?");
    count.bind(1, number).step();
    const bool sound =
        file == segment_file(number) && count.integer(0) == cases && hash_of(folder_ / file) == hash;
    if (!sound) database.prepare("DELETE FROM segments WHERE number = ?").bind(1, number).run();
  }
  database.execute("DELETE FROM cases WHERE segment > 0 AND segment NOT IN (SELECT number FROM segments)");
  const std::int64_t lost = sqlite3_changes64(database.handle());
  database.commit();
  clear_unknown_files();
  last_ = greatest(database, "number", "segments");
  return lost;
}

void Segments::clear_unknown_files() {
  std::error_code failure;
  std::vector<fs::path> unknown;
  for (const auto& entry : fs::directory_iterator(folder_ / "trajectories", failure)) {
    const std::string name = "trajectories/" + entry.path().filename().string();
    Statement known = ledger_.database().prepare("SELECT 1 FROM segments WHERE file = ?");
    if (is_segment(name) && !known.bind(1, std::string_view(name)).step()) unknown.push_back(entry.path());
  }
  for (const fs::path& path : unknown)
    if (hash_of(path))
      fs::remove(path, failure);
    else
      set_aside(path);
}

std::int64_t Segments::add(const CaseResult& result) {
  if (!open_) {
    io::make_folder(folder_ / "trajectories");
    open_ = std::make_unique<io::TrajectorySegment>(folder_ / segment_file(last_ + 1), columns_);
  }
  const auto& [columns, rows] = *result.whole;
  open_->add(fmt::format("case_{:07}", result.record.number), columns, rows);
  ++cases_;
  numbers_ += rows.size();
  return last_ + 1;
}

bool Segments::full() const { return numbers_ > most_numbers; }

void Segments::close() {
  if (!open_) return;
  const std::string hash = open_->commit();
  open_.reset();
  ++last_;
  add_segment(ledger_, last_, hash, cases_);
  cases_ = 0, numbers_ = 0;
}

}  // namespace torsor::batch
