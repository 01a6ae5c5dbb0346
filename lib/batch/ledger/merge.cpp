#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <map>
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

/// Merges one folder into the merged folder. Cases that an earlier folder had must have the same results; only
/// segments with other cases are copied.
class Merge {
 public:
  Merge(const fs::path& from, const fs::path& to, Ledger& ledger)
      : from_(from), to_(to), part_(from, Database::Access::read), ledger_(ledger) {}

  void run() {
    Database& database = ledger_.database();
    const std::int64_t segments = greatest(database, "number", "segments"),
                       sessions = greatest(database, "number", "sessions");
    database.begin();
    Statement known = database.prepare("SELECT hash FROM cases WHERE \"case\" = ?");
    const std::size_t columns =
        CaseColumns::own + part_.layout().parameters.size() + part_.layout().results.size();
    std::map<std::int64_t, std::int64_t> taken;  // number of cases taken from each segment
    bool is_new = false;
    for (SoundRows row(part_.database(), "cases", columns); row.step();) {
      const std::int64_t number = row.whole(CaseColumns::number), segment = row.whole(CaseColumns::segment);
      known.bind(1, number);
      if (!known.step()) {
        if (segment > 0) ++taken[segment];
        ledger_.take_case(row.values(), segment > 0 ? segments + segment : 0);
        is_new = true;
      } else if (known.text(0) != row.text(CaseColumns::hash)) {
        throw std::invalid_argument(fmt::format(
            "{} has a different result for case {} than an earlier folder", from_.string(), number));
      }
      known.reset();
    }
    for (const auto& [segment, cases] : taken) take_segment(segment, segments + segment, cases);
    if (is_new) take_sessions(sessions);
    database.commit();
  }

 private:
  /// Copies segment `number` of the folder as segment `as` of the merged folder. `cases`: how many cases of the
  /// merged folder are in it.
  void take_segment(std::int64_t number, std::int64_t as, std::int64_t cases) {
    Statement segment = part_.database().prepare("SELECT file, hash FROM segments WHERE number = ?");
    segment.bind(1, number);
    if (!segment.step())
      throw DamagedDatabase(fmt::format("{} is damaged: a case is in segment {}, which is not listed",
                                        part_.database().file().string(), number));
    if (segment.text(0) != segment_file(number))
      throw DamagedDatabase(fmt::format("{} is damaged: segment {} has the file name \"{}\"",
                                        part_.database().file().string(), number,
                                        plain_text(segment.text(0))));
    io::make_folder(to_ / "trajectories");
    copy_segment(from_ / segment.text(0), to_ / segment_file(as), segment.text(1));
    add_segment(ledger_, as, segment.text(1), cases);
  }

  void take_sessions(std::int64_t base) {
    Inserter session(ledger_.database(), "sessions", 9);
    for (SoundRows row(part_.database(), "sessions", 9); row.step();) {
      std::vector<SqlValue> values = row.values();
      values[0] = base + row.whole(0);
      session.add(values);
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
