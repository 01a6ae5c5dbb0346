#include "segments.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace torsor::batch {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_numbers = 8 << 20;

}  // namespace

std::string segment_file(std::int64_t number) { return fmt::format("trajectories/segment_{:06}.h5", number); }

Segments::Segments(const fs::path& folder, Ledger& ledger, std::vector<Column> columns)
    : folder_(folder),
      ledger_(ledger),
      last_(ledger.greatest("number", "segments")),
      columns_(std::move(columns)) {}

void Segments::remove_unknown() {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder_ / "trajectories", failure)) {
    const std::string name = "trajectories/" + entry.path().filename().string();
    if (!name.starts_with("trajectories/segment_")) continue;
    Statement known = ledger_.database().prepare("SELECT 1 FROM segments WHERE file = ?");
    known.bind(1, std::string_view(name));
    if (!known.step()) fs::remove(entry.path(), failure);
  }
}

std::int64_t Segments::add(const CaseResult& result) {
  if (!open_) open_ = std::make_unique<TrajectorySegment>(columns_);
  const auto& [columns, rows] = *result.whole;
  open_->add(fmt::format("case_{:07}", result.record.number), columns, rows);
  ++cases_;
  numbers_ += rows.size();
  return last_ + 1;
}

bool Segments::full() const { return numbers_ > most_numbers; }

void Segments::close() {
  if (!open_) return;
  fs::create_directories(folder_ / "trajectories");
  const std::string file = segment_file(++last_);
  ledger_.add_segment(last_, file, open_->write(folder_ / file), cases_);
  open_.reset();
  cases_ = 0, numbers_ = 0;
}

}  // namespace torsor::batch
