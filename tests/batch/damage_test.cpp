#include <doctest/doctest.h>
#include <sys/stat.h>

#include "batch/ledger/row_checksum.hpp"
#include "batch/table.hpp"
#include "some_study.hpp"
#include "support/contains.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;

/// A finished batch that a test damages and resumes repeatedly.
class Finished : public StudyFolder {
 public:
  explicit Finished(const std::string& lines)
      : study(StudyFolder::study(lines)), table(table_of(study, {.folder = out})) {
    ledger_ = read_text(ledger);
    if (fs::exists(segment)) segment_ = read_text(segment);
  }

  /// Restores the state at the end of the batch.
  void restore() const {
    for (const auto& entry : fs::recursive_directory_iterator(out))
      if (entry.is_regular_file()) fs::remove(entry.path());
    write("out/ledger.sqlite", ledger_);
    if (!segment_.empty()) write("out/trajectories/segment_000001.h5", segment_);
  }
  static void flip(const fs::path& file, std::size_t at) {
    std::string bytes = read_text(file);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    std::ofstream(file, std::ios::binary) << bytes;
  }
  /// Resumes the batch and returns its messages; the table must be the same as before.
  std::string resume() const {
    std::string said;
    const batch::BatchSummary summary =
        run_batch(study, {.folder = out, .threads = 1, .resume = true, .tell = [&](const std::string& text) {
                            said += text;
                          }});
    CHECK(summary.complete);
    CHECK(read_text(summary.table) == table);
    return said;
  }
  std::string read() const {
    std::string text;
    batch::read_table(out, {}, [&text](std::string_view piece) { text += piece; });
    return text;
  }

  const fs::path out = path / "out", ledger = out / "ledger.sqlite",
                 segment = out / "trajectories/segment_000001.h5";
  const batch::Study study;
  const std::string table;

 private:
  std::string ledger_, segment_;
};

TEST_CASE(
    "whichever bit of a ledger is altered, no reader gives a wrong table and --resume repairs the ledger") {
  const Finished batch(tops(3));
  const std::size_t size = fs::file_size(batch.ledger);
  const std::string sound = batch.read();
  int found = 0, told = 0;
  for (std::size_t at = 0; at < size; at += at < 100 ? 3 : 157) {
    CAPTURE(at);
    batch.restore();
    Finished::flip(batch.ledger, at);
    std::string read = sound;
    try {
      read = batch.read();
    } catch (const io::IoError&) {
      ++found;
    }
    CHECK(read == sound);
    batch.restore();
    Finished::flip(batch.ledger, at);
    const std::string said = batch.resume();
    CHECK_FALSE(contains(said, "***"));  // the heading of SQLite's report
    told += !said.empty();
    CHECK(batch.read() == sound);
  }
  CHECK(found > 10);
  CHECK(told > 10);
}

TEST_CASE("damaged rows of a ledger are reported, and only their cases are computed again") {
  const Finished batch(tops(3));
  std::string hash;
  batch::read_table(batch.out, {"\"case\" = 4", {"hash"}, false},
                    [&hash](std::string_view piece) { hash += piece; });
  hash = hash.substr(hash.size() - 33, 32);
  const std::size_t at = read_text(batch.ledger).find(hash);
  REQUIRE(at != std::string::npos);
  Finished::flip(batch.ledger, at);
  CHECK_THROWS_AS(batch::batch_state(batch.out), io::IoError);
  const std::string said = batch.resume();
  CHECK(contains(said, "1 case of " + batch.ledger.string() + " was damaged and will be computed again"));
  CHECK(batch::batch_state(batch.out).done == 6);
  CHECK(batch.resume().empty());
  // A file that is not a database is kept under another name.
  std::ofstream(batch.ledger, std::ios::binary) << std::string(20'000, 'x');
  CHECK(contains(batch.resume(), "is kept as " + batch.ledger.string() + ".damaged"));
  CHECK(read_text(batch.ledger.string() + ".damaged") == std::string(20'000, 'x'));
}

TEST_CASE("damaged and missing trajectories are reported and computed again") {
  const Finished batch(tops(3) + "trajectories = true\n");
  const std::size_t size = fs::file_size(batch.segment);
  const auto mends = [&] {
    CHECK(contains(batch.resume(), "cases that are computed again: 6"));
    fs::remove_all(batch.path / "copy");
    CHECK(batch::merge_batches({batch.out}, batch.path / "copy") == 0);  // merge finds every segment intact
    CHECK(batch.resume().empty());
  };
  for (std::size_t at = 0; at < size; at += size / 7) {
    CAPTURE(at);
    batch.restore();
    Finished::flip(batch.segment, at);
    CHECK_THROWS_AS(batch::merge_batches({batch.out}, batch.path / "whole"), std::exception);
    fs::remove_all(batch.path / "whole");
    mends();
  }
  batch.restore();
  fs::resize_file(batch.segment, size / 2);
  mends();
  batch.restore();
  fs::remove(batch.segment);
  mends();
}

TEST_CASE("merge refuses a forged ledger that names a file of another folder") {
  const Finished batch(tops(3) + "trajectories = true\n");
  const fs::path secret = batch.write("secret.h5", read_text(batch.segment));
  {
    const torsor::batch::Database database(batch.ledger, torsor::batch::Database::Access::write);
    torsor::batch::Statement row = database.prepare("SELECT hash, cases FROM segments");
    REQUIRE(row.step());
    torsor::batch::Inserter(database, "segments", 4)
        .add({std::int64_t{1}, std::string("../secret.h5"), row.text(0), row.integer(1)});
  }
  try {
    batch::merge_batches({batch.out}, batch.path / "copy");
    FAIL("the forged ledger was merged");
  } catch (const io::IoError& error) {
    CHECK(contains(error.what(),
                   batch.ledger.string() + " is damaged: segment 1 has the file name \"../secret.h5\""));
  }
  CHECK(fs::exists(secret));
  CHECK_FALSE(fs::exists(batch.path / "copy/table.csv"));
}

TEST_CASE("a batch leaves files that it did not write unchanged") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(2) + "trajectories = true\n");
  fs::create_directories(folder.path / "out/trajectories");
  const char* names[] = {"out/under_way.txt", "out/under_way.7", "out/trajectories/segment_notes.txt",
                         "out/trajectories/segment_1.h5", "out/a.partial.1"};
  for (const char* name : names) folder.write(name, "mine");
  folder.write("out/table.csv", "my,table\n1,2\n");
  CHECK_THROWS_AS(run_batch(study, {.folder = folder.path / "out"}), io::IoError);
  CHECK(read_text(folder.path / "out/table.csv") == "my,table\n1,2\n");
  fs::remove(folder.path / "out/table.csv");
  CHECK(run_batch(study, {.folder = folder.path / "out", .resume = true}).complete);
  CHECK(run_batch(study, {.folder = folder.path / "out", .resume = true}).complete);
  for (const char* name : names) CHECK(read_text(folder.path / name) == "mine");
}

TEST_CASE("a ledger that may not be written is not damaged: --resume ends with exit code 4 and leaves it") {
  const StudyFolder folder;
  folder.write("study.toml", "scene = \"top.toml\"\n" + tops(4));
  const char* script =
      "\"$0\" batch study.toml -o disk/out --quiet || exit 1\n"
      "mount --bind disk/out/ledger.sqlite disk/out/ledger.sqlite || exit\n"
      "mount -o remount,ro,bind disk/out/ledger.sqlite || exit\n"
      "\"$0\" batch study.toml -o disk/out --resume; echo ended with $?; ls disk/out";
  const auto on_disk = torsor_on_disk(folder.path, "disk", "50m", script);
  if (!on_disk) return;
  CAPTURE(on_disk->err);
  CHECK(contains(on_disk->err, "torsor: error: cannot write disk/out/ledger.sqlite: it may only be read\n"));
  CHECK(contains(on_disk->out, "ended with 4"));
  CHECK_FALSE(contains(on_disk->out, "damaged"));
}

TEST_CASE("the error of a statement names the operation that failed: reading, if the ledger is only read") {
  const Finished batch(tops(1));
  const torsor::batch::Database database(batch.ledger, torsor::batch::Database::Access::read);
  auto rows = database.prepare("SELECT zeroblob(2000000000)");
  const std::string why = "cannot read " + batch.ledger.string() + ": string or blob too big";
  CHECK_THROWS_WITH_AS(rows.step(), why.c_str(), io::IoError);
}

TEST_CASE("an empty ledger is not damaged: the folder holds no batch, and --resume begins it") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(1));
  fs::create_directory(folder.path / "out");
  folder.write("out/ledger.sqlite", "");
  const std::string why = (folder.path / "out").string() + " holds no batch: its ledger.sqlite is empty";
  CHECK_THROWS_WITH_AS(batch::batch_state(folder.path / "out"), why.c_str(), io::IoError);
  const batch::BatchSummary begun =
      run_batch(study, {.folder = folder.path / "out", .threads = 1, .resume = true});
  CHECK(begun.complete);
}

TEST_CASE("a ledger that is a pipe is refused at once") {
  const StudyFolder folder;
  folder.write("study.toml", "scene = \"top.toml\"\n" + tops(1));
  fs::create_directory(folder.path / "out");
  REQUIRE(::mkfifo((folder.path / "out/ledger.sqlite").c_str(), 0600) == 0);
  const std::vector<std::vector<std::string>> all = {{"batch", "study.toml", "-o", "out"},
                                                     {"status", "out"},
                                                     {"table", "out"},
                                                     {"merge", "out", "-o", "whole"}};
  for (const auto& command : all) {
    CAPTURE(command.front());
    const Outcome refused = torsor(folder.path, command);
    CHECK(refused.code == 4);
    CHECK(contains(refused.err, "cannot open out/ledger.sqlite: it is not a regular file"));
  }
}

TEST_CASE("status, table and merge work on a read-only file system") {
  const StudyFolder folder;
  folder.write("study.toml", "scene = \"top.toml\"\n" + tops(4) + "trajectories = true\n");
  const char* script =
      "\"$0\" batch study.toml -o medium/out --quiet || exit 1\n"
      "mount -o remount,ro medium || exit\n"
      "touch medium/out/x 2>/dev/null && exit 2\n"
      "\"$0\" status medium/out && \"$0\" table medium/out >table.csv && \"$0\" merge medium/out -o whole "
      "&&\n"
      "grep -v '^#' table.csv >shown.csv; grep -v '^#' medium/out/table.csv >kept.csv\n"
      "cmp shown.csv kept.csv && cmp whole/table.csv medium/out/table.csv && echo alike";
  const auto on_disk = torsor_on_disk(folder.path, "medium", "50m", script);
  if (!on_disk) return;
  const Outcome& outcome = *on_disk;
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(contains(outcome.out, "complete"));
  CHECK(contains(outcome.out, "alike"));
}

}  // namespace
}  // namespace torsor::test
