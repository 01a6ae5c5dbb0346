// Alters ledgers: first values of rows, with checksums that match, and then bytes of the file. Each ledger
// is either read, or repaired as by a resumed batch; both may refuse it as damaged. If only bytes were
// altered, every table that is read must be the original one.
#include "batch/ledger/ledger.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <fstream>
#include <iterator>

#include "batch/ledger/ledger_schema.hpp"
#include "batch/ledger/segments.hpp"
#include "batch/ledger/sessions.hpp"
#include "batch/table.hpp"
#include "folder.hpp"
#include "tables.hpp"
#include "torsor/batch/batch.hpp"

namespace {

namespace fs = std::filesystem;
using namespace torsor;
using namespace torsor::batch;

const fs::path& batch_folder() { return fuzz::folder(); }

void remove_ledgers() {
  for (const char* name :
       {"ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "table.csv", "statistics.csv"})
    fs::remove(batch_folder() / name);
}

void put(const std::string& bytes) {
  remove_ledgers();
  std::ofstream(Ledger::file_in(batch_folder()), std::ios::binary) << bytes;
}

std::string table() {
  std::string text;
  batch::read_table(batch_folder(), {.timings = true}, [&text](std::string_view piece) { text += piece; });
  return text;
}

/// A ledger of four cases and its table.
struct Sound {
  const Layout layout{{{"body.a.mass", "kg"}, {"integrator.method", ""}},
                      {{"body.a.x", "m"}, {"event.b.times", "s"}}};
  const Ledger::Facts facts{
      {"cases", "4"}, {"heading", "# title: t\n"}, {"shard", "1"}, {"shards", "1"}, {"statistics", "1"}};
  std::string bytes, table;
  Sound() {
    remove_ledgers();
    {
      Ledger ledger = Ledger::make(batch_folder(), facts, layout);
      for (const std::int64_t k : {0, 1, 2})
        ledger.add({k, {1.5, "cf4"}, k == 1 ? "singular" : "reached-end", "m", {0.25, "1 2"}, 0.1}, k);
      add_segment(ledger, 1, std::string(32, 'a'), 1);
      ledger.cut_short(3, true);
      put_session(ledger.database(), {1, 1, 2, "h", 7, 2, 3, "complete", "n"});
    }
    table = ::table();
    std::ifstream file(Ledger::file_in(batch_folder()), std::ios::binary);
    bytes = {std::istreambuf_iterator<char>(file), {}};
  }
};

const Sound& sound() {
  static const Sound all;
  return all;
}

SqlValue some_value(FuzzedDataProvider& input) {
  switch (input.ConsumeIntegralInRange(0, 3)) {
    case 0:
      return std::monostate();
    case 1:
      return input.ConsumeIntegral<std::int64_t>();
    case 2:
      return input.ConsumeFloatingPoint<double>();
    default:
      return input.ConsumeRandomLengthString(40);
  }
}

/// Changes one value of one row; with a new key the row exists twice. Changes nothing if a key is not a whole
/// number, or if an earlier change damaged the table.
void alter_row(const Database& database, FuzzedDataProvider& input) try {
  constexpr std::pair<const char*, std::size_t> tables[] = {
      {"study", 2}, {"columns", 4}, {"segments", 4}, {"sessions", 9}, {"cut_short", 3}, {"cases", 11}};
  const auto& [name, columns] = tables[input.ConsumeIntegralInRange<std::size_t>(0, std::size(tables) - 1)];
  std::vector<std::vector<SqlValue>> rows;
  for (SoundRows row(database, name, columns); row.step();) rows.push_back(row.values());
  if (rows.empty()) return;
  std::vector<SqlValue>& row = rows[input.ConsumeIntegralInRange<std::size_t>(0, rows.size() - 1)];
  row[input.ConsumeIntegralInRange<std::size_t>(0, columns - 1)] = some_value(input);
  Inserter(database, name, columns).add(row);
} catch (const io::IoError&) {
}

/// Makes the digest of study and columns match again, unless these tables cannot be read.
void seal(const Database& database) try {
  Ledger::Facts facts;
  Layout layout;
  for (SoundRows fact(database, "study", 2); fact.step();) facts[fact.text(0)] = fact.text(1);
  for (SoundRows column(database, "columns", 4); column.step();)
    (column.text(2) == "parameter" ? layout.parameters : layout.results)
        .push_back({column.text(1), column.text(3)});
  facts.erase("digest");
  Inserter(database, "study", 2).add({std::string("digest"), digest_of(facts, layout)});
} catch (const io::IoError&) {
}

/// Reads the ledger as `status` and `table` do; returns whether they accept it.
bool read(bool rows_are_sound) try {
  batch::batch_state(batch_folder());
  if (table() != sound().table && rows_are_sound) std::abort();
  return true;
} catch (const io::IoError&) {
  return false;
}

/// Repairs the ledger as a resumed batch does.
void resume() try {
  if (!Ledger::exists_in(batch_folder())) return;
  try {
    Ledger ledger(batch_folder(), Database::Access::write);
    ledger.drop_damaged();
    Segments(batch_folder(), ledger, ledger.layout().results).check();
    crashed_cases(ledger);
    put_session(ledger.database(), last_session(ledger.database()));
    write_tables(batch_folder(), ledger, true, {});
  } catch (const DamagedDatabase&) {
    fs::rename(Ledger::file_in(batch_folder()), batch_folder() / "damaged");
    remove_ledgers();
    Ledger::make(batch_folder(), sound().facts, sound().layout).salvage(batch_folder() / "damaged");
  }
  if (!read(false)) std::abort();
} catch (const io::IoError&) {
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes = sound().bytes;
  FuzzedDataProvider input(data, size);
  const bool reads = input.ConsumeBool();
  const int rows = input.ConsumeIntegralInRange(0, 4);
  if (rows > 0) {
    put(bytes);
    {
      const Database database(Ledger::file_in(batch_folder()), Database::Access::write);
      for (int i = 0; i < rows; ++i) alter_row(database, input);
      if (input.ConsumeBool()) seal(database);
    }
    std::ifstream file(Ledger::file_in(batch_folder()), std::ios::binary);
    bytes = {std::istreambuf_iterator<char>(file), {}};
  }
  if (input.ConsumeBool()) bytes.resize(input.ConsumeIntegralInRange<std::size_t>(0, bytes.size()));
  while (input.remaining_bytes() > 2 && !bytes.empty())
    bytes[input.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1)] = input.ConsumeIntegral<char>();
  put(bytes);
  if (reads)
    read(rows == 0);
  else
    resume();
  return 0;
}
