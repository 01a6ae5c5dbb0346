#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "identity.hpp"
#include "partial_file.hpp"
#include "segments.hpp"
#include "tables.hpp"
#include "torsor/batch/table.hpp"
#include "torsor/io/result.hpp"

namespace torsor {
namespace fs = std::filesystem;
namespace {

using namespace batch;

/// Copies a closed segment, if it is still what the ledger says it is.
void copy_segment(const fs::path& from, const fs::path& to, const std::string& hash) {
  std::ifstream file(from, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (content_hash(bytes) != hash)
    throw IoError(
        fmt::format("{} is damaged: its contents are not those that the ledger recorded", from.string()));
  PartialFile partial(to);
  OutputFile out(partial.path());
  out.bytes = bytes;
  out.close();
  partial.commit();
}

/// Takes one folder into the merged one.
class Merge {
 public:
  Merge(const fs::path& from, const fs::path& to, Ledger& ledger)
      : from_(from), to_(to), ledger_(ledger), base_(ledger.greatest("number", "segments")) {}

  void run() {
    Database& database = ledger_.database();
    Statement attach = database.prepare("ATTACH ? AS part");
    attach.bind(1, std::string_view(Ledger::file_in(from_).string())).run();
    refuse_other_results();
    database.execute("BEGIN IMMEDIATE");
    take_segments();
    database.execute(fmt::format("UPDATE temp.taken SET segment = segment + {}", base_));
    database.execute("INSERT OR IGNORE INTO cases SELECT * FROM temp.taken; DROP TABLE temp.taken");
    database.execute(
        "INSERT INTO sessions(begun, seen, host, process, threads, done, ended, note) "
        "SELECT begun, seen, host, process, threads, done, ended, note FROM part.sessions");
    database.execute("COMMIT");
    database.execute("DETACH part");
  }

 private:
  void refuse_other_results() {
    Statement other = ledger_.database().prepare(
        "SELECT a.\"case\" FROM cases a JOIN part.cases b ON a.\"case\" = b.\"case\" WHERE a.hash <> b.hash");
    if (other.step())
      throw std::invalid_argument(fmt::format("{} has another result for case {} than a folder before it",
                                              from_.string(), other.integer(0)));
  }

  void take_segments() {
    Database& database = ledger_.database();
    database.execute("CREATE TEMP TABLE taken AS SELECT * FROM part.cases");
    Statement segment = database.prepare("SELECT number, file, hash, bytes, cases FROM part.segments");
    while (segment.step()) {
      const std::int64_t number = base_ + segment.integer(0);
      fs::create_directories(to_ / "trajectories");
      copy_segment(from_ / segment.text(1), to_ / segment_file(number), segment.text(2));
      database.prepare("INSERT INTO segments VALUES(?, ?, ?, ?, ?)")
          .bind(1, number)
          .bind(2, std::string_view(segment_file(number)))
          .bind(3, segment.integer(3))
          .bind(4, std::string_view(segment.text(2)))
          .bind(5, segment.integer(4))
          .run();
    }
  }

  const fs::path &from_, &to_;
  Ledger& ledger_;
  std::int64_t base_;
};

}  // namespace

std::int64_t merge_batches(const std::vector<fs::path>& folders, const fs::path& merged) {
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
  const ResultFolder locked(merged);
  if (Ledger::exists_in(merged))
    throw std::invalid_argument(
        fmt::format("{} holds a batch already; merge into a new folder", merged.string()));
  Ledger ledger(Ledger::make(merged, facts, layout));
  for (const fs::path& folder : folders) Merge(folder, merged, ledger).run();
  write_tables(merged, ledger, {});
  Statement count = ledger.database().prepare("SELECT count(*) FROM cases");
  count.step();
  return std::stoll(facts.at("cases")) - count.integer(0);
}

}  // namespace torsor
