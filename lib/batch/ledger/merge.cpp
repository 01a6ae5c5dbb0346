#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <stdexcept>

#include "batch/study/identity.hpp"
#include "batch/table.hpp"
#include "batch/tables.hpp"
#include "io/result.hpp"
#include "io/results/digest.hpp"
#include "run/plain_text.hpp"
#include "segments.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::batch {
namespace fs = std::filesystem;
namespace {

std::string hash_of(const fs::path& path) try {
  return io::segment_hash(path);
} catch (const io::ResultError& error) {
  throw io::IoError(error.what());
}

/// Copies a closed segment. Throws IoError if its hash differs from the hash in the ledger.
void copy_segment(const fs::path& from, const fs::path& to, const std::string& hash) {
  if (hash_of(from) != hash)
    throw io::IoError(
        fmt::format("{} is damaged: its contents do not match the hash in the ledger", from.string()));
  const io::InputFile in(from);
  io::OutputFile out(to);
  for (;;) {
    const std::size_t before = out.bytes.size();
    out.bytes.resize(before + (1 << 20));
    const auto got = ::read(in.descriptor(), out.bytes.data() + before, 1 << 20);
    if (got < 0) throw io::system_error("read", from);
    out.bytes.resize(before + static_cast<std::size_t>(got));
    if (got == 0) break;
    out.spill();
  }
  out.commit();
}

/// Merges one folder into the merged folder.
class Merge {
 public:
  Merge(const fs::path& from, const fs::path& to, Ledger& ledger)
      : from_(from), to_(to), part_(from, Database::Access::read), ledger_(ledger) {}

  void run() {
    Database& database = ledger_.database();
    const std::int64_t segments = greatest(database, "number", "segments"),
                       sessions = greatest(database, "number", "sessions");
    database.begin();
    take_segments(segments);
    Statement known = database.prepare("SELECT hash FROM cases WHERE \"case\" = ?");
    const std::size_t columns =
        CaseColumns::own + part_.layout().parameters.size() + part_.layout().results.size();
    for (SoundRows row(part_.database(), "cases", columns); row.step();) {
      const std::int64_t number = row.whole(CaseColumns::number), segment = row.whole(CaseColumns::segment);
      known.bind(1, number);
      if (!known.step()) {
        ledger_.take_case(row.values(), segment > 0 ? segments + segment : 0);
      } else if (known.text(0) != row.text(CaseColumns::hash)) {
        throw std::invalid_argument(fmt::format(
            "{} has a different result for case {} than an earlier folder", from_.string(), number));
      }
      known.reset();
    }
    Inserter session(database, "sessions", 9);
    for (SoundRows row(part_.database(), "sessions", 9); row.step();) {
      std::vector<SqlValue> values = row.values();
      values[0] = sessions + row.whole(0);
      session.add(values);
    }
    database.commit();
  }

 private:
  void take_segments(std::int64_t base) {
    Statement segment = part_.database().prepare("SELECT number, file, hash, cases FROM segments");
    while (segment.step()) {
      if (segment.text(1) != segment_file(segment.integer(0)))
        throw DamagedDatabase(fmt::format("{} is damaged: segment {} has the file name \"{}\"",
                                          part_.database().file().string(), segment.integer(0),
                                          plain_text(segment.text(1))));
      const std::int64_t number = base + segment.integer(0);
      io::make_folder(to_ / "trajectories");
      copy_segment(from_ / segment.text(1), to_ / segment_file(number), segment.text(2));
      add_segment(ledger_, number, segment.text(2), segment.integer(3));
    }
  }

  const fs::path &from_, &to_;
  Ledger part_;
  Ledger& ledger_;
};

}  // namespace

std::int64_t merge_batches(const std::vector<fs::path>& folders, const fs::path& merged, bool force) {
  Ledger::Facts facts;
  Layout layout;
  for (const fs::path& folder : folders) {
    const Ledger ledger(folder, Database::Access::read);
    if (facts.empty()) {
      facts = ledger.facts();
      layout = ledger.layout();
    }
    const auto differ = differences(facts, ledger.facts());
    if (!differ.empty())
      throw std::invalid_argument(fmt::format("{} does not belong to {}: {}", folder.string(),
                                              folders.front().string(), fmt::join(differ, "; ")));
  }
  facts["shard"] = facts["shards"] = "1";
  const io::ResultFolder locked(merged);
  if (Ledger::exists_in(merged))
    throw std::invalid_argument(
        fmt::format("{} holds a batch already; merge into a new folder", merged.string()));
  check_tables(merged, force);
  Ledger ledger(Ledger::make(merged, facts, layout));
  for (const fs::path& folder : folders) Merge(folder, merged, ledger).run();
  write_tables(merged, ledger, force, {});
  Statement count = ledger.database().prepare("SELECT count(*) FROM cases");
  count.step();
  return ledger.count("cases") - count.integer(0);
}

}  // namespace torsor::batch
