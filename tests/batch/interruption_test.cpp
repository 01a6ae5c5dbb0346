#include <doctest/doctest.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/resource.h>

#include <array>
#include <csignal>

#include "batch/ledger/ledger.hpp"
#include "batch/ledger/sessions.hpp"
#include "batch/ledger/under_way.hpp"
#include "batch/study/identity.hpp"
#include "batch/table.hpp"
#include "io/result.hpp"
#include "some_study.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

/// A study of 800 cases; one second of motion takes about one millisecond of computing time.
std::string long_study(const char* end = "1") {
  return tops(400) + "trajectories = true\n[[parameter]]\nkind = \"list\"\nkey = \"run.end\"\nvalues = [" +
         end + "]\n";
}

class BatchFolder : public StudyFolder {
 public:
  explicit BatchFolder(const std::string& lines) { write("study.toml", "scene = \"top.toml\"\n" + lines); }
  Outcome batch(std::vector<std::string> more, const std::function<void()>& prepare = {}) const {
    return torsor(path, arguments(std::move(more)), prepare);
  }
  static std::vector<std::string> arguments(std::vector<std::string> more) {
    more.insert(more.begin(), {"batch", "study.toml", "-j", "2"});
    return more;
  }
  std::string table(const char* folder) const { return read_text(path / folder / "table.csv"); }
  batch::Study study() const { return batch::load_study((path / "study.toml").string()); }
};

/// Makes the ledger of a batch that has no session yet.
batch::Ledger ledger_of(const batch::Study& study, const std::filesystem::path& folder) {
  std::filesystem::create_directory(folder);
  const batch::FirstCase first = first_case(study);
  return batch::Ledger::make(folder, study_facts(study, first, 1, 1), layout(study, first));
}

}  // namespace

TEST_CASE(
    "killed at twenty random moments and resumed, a batch ends with the table of an uninterrupted one") {
  const BatchFolder folder(long_study());
  REQUIRE(folder.batch({"-o", "whole"}).code == 0);
  const char* asked = std::getenv("TORSOR_TEST_KILLS");  // kills.sh sets a greater number
  const unsigned attempts = asked ? static_cast<unsigned>(std::stoul(asked)) : 20;
  unsigned killed = 0;
  for (unsigned attempt = 0, random = 12345 + attempts; attempt < attempts; ++attempt) {
    random = random * 1664525 + 1013904223;
    const Command run(folder.path, BatchFolder::arguments({"-o", "out", "--resume", "--checkpoint", "0.03"}));
    ::usleep(5000 + (random >> 8) % 150000);
    run.signal(SIGKILL);
    const int code = run.wait().code;
    killed += code == 128 + SIGKILL;
    if (code == 0) std::filesystem::remove_all(folder.path / "out");  // the batch ended first: start again
    if (attempt % 5 == 4 && folder.has("out/table.csv"))
      CHECK(torsor(folder.path, {"status", "out"}).code == 0);
  }
  CHECK(killed >= attempts / 2);
  CHECK(folder.batch({"-o", "out", "--resume"}).code == 0);
  CHECK(folder.table("out") == folder.table("whole"));
  CHECK(read_text(folder.path / "out/statistics.csv") == read_text(folder.path / "whole/statistics.csv"));
  // Every segment is complete, and the folder has no segment that the ledger does not list.
  CHECK(batch::merge_batches({folder.path / "out"}, folder.path / "copy") == 0);
  CHECK(folder.table("copy") == folder.table("whole"));
}

TEST_CASE("a batch that has made its ledger and has no session yet has not begun") {
  const BatchFolder folder(tops(2));
  const batch::Study study = folder.study();
  const std::filesystem::path out = folder.path / "out";
  ledger_of(study, out);
  CHECK(contains(torsor(folder.path, {"status", "out"}).out, "not begun"));
  CHECK(run_batch(study, {.folder = out, .threads = 1, .resume = true}).complete);
  CHECK(contains(torsor(folder.path, {"status", "out"}).out, "complete"));
}

TEST_CASE("a batch whose last checkpoint was long ago runs as long as its folder is locked") {
  const BatchFolder folder(tops(2));
  const std::filesystem::path out = folder.path / "out";
  const double long_ago = batch::unix_time() - 60;  // s
  put_session(ledger_of(folder.study(), out).database(),
              {1, long_ago, long_ago, batch::host_name(), ::getpid(), 1, 0, "", ""});
  {
    const io::ResultFolder locked(out);
    CHECK(batch::batch_state(out).running);
  }
  CHECK_FALSE(batch::batch_state(out).running);
}

TEST_CASE("a batch stops at a signal before its cases end and can be resumed") {
  const BatchFolder folder(long_study("20"));
  constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  const auto finished = [&] { return contains(torsor(folder.path, {"table", "out"}).out, "\n0,"); };
  // A slow machine needs more attempts.
  for (std::size_t i = 0; i < 30 && (i < signals.size() || !finished()); ++i) {
    const int signal = signals[i % signals.size()];
    std::filesystem::remove(folder.path / "out/under_way");  // of the run before
    const Command run(folder.path, BatchFolder::arguments({"-o", "out", "--resume"}));
    while (!folder.has("out/under_way")) ::usleep(1000);
    ::usleep(100000 * static_cast<unsigned>(1 + i));
    run.signal(signal);
    const Outcome outcome = run.wait();
    CHECK(outcome.code == 128 + signal);
    CHECK(contains(outcome.out, "--resume continues it"));
    CHECK(contains(torsor(folder.path, {"status", "out"}).out, "interrupted"));
  }
  CHECK(finished());  // finished cases are kept
}

TEST_CASE("a batch whose ledger is removed ends with exit code 4 at the next commit") {
  const BatchFolder folder(long_study("20"));
  const Command run(folder.path, BatchFolder::arguments({"-o", "out", "--checkpoint", "0.05"}));
  while (!folder.has("out/under_way")) ::usleep(1000);
  std::filesystem::remove(folder.path / "out/ledger.sqlite");
  const Outcome outcome = run.wait();
  CHECK(outcome.code == 4);
  CHECK(contains(outcome.err, "cannot write out/ledger.sqlite: another program removed or replaced it"));
}

TEST_CASE("a signal during the reference run ends the batch before its first case") {
  const BatchFolder folder("[keep]\nreference = [\"integrator.step=1e-9\"]\n");
  const Command run(folder.path, BatchFolder::arguments({"-o", "out"}));
  run.wait_for_handler(SIGTERM);
  ::usleep(500000);  // into the reference run
  run.signal(SIGTERM);
  const Outcome outcome = run.wait();
  CHECK(outcome.code == 128 + SIGTERM);
  CHECK(outcome.err == "torsor: stopped by signal 15 before the first case\n");
  CHECK_FALSE(folder.has("out"));
}

TEST_CASE("a batch that is resumed after a signal ends with the table of an uninterrupted batch") {
  const BatchFolder folder(long_study());
  const Command run(folder.path, BatchFolder::arguments({"-o", "out"}));
  while (!folder.has("out/under_way")) ::usleep(1000);
  ::usleep(50000);
  run.signal(SIGTERM);
  CHECK(run.wait().code == 128 + SIGTERM);
  CHECK(folder.batch({"-o", "out", "--resume"}).code == 0);
  CHECK(folder.batch({"-o", "whole"}).code == 0);
  CHECK(folder.table("out") == folder.table("whole"));
}

TEST_CASE("a folder takes one batch at a time, and a second batch only with --resume") {
  const BatchFolder folder(tops(2));
  std::filesystem::create_directory(folder.path / "out");
  const int lock = ::open((folder.path / "out").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
  const Outcome second = folder.batch({"-o", "out"});
  CHECK(second.code == 5);
  CHECK(contains(second.err, "in use"));
  CHECK(std::filesystem::is_empty(folder.path / "out"));
  ::close(lock);
  CHECK(folder.batch({"-o", "out"}).code == 0);
  const Outcome again = folder.batch({"-o", "out"});
  CHECK(again.code == 3);
  CHECK(contains(again.err, "holds a batch already; --resume continues it"));
  CHECK(folder.batch({"-o", "out", "--resume"}).code == 0);
}

TEST_CASE("a batch with an edited study or scene resumes only with --force, which the ledger records") {
  const BatchFolder folder(tops(2));
  REQUIRE(folder.batch({"-o", "out"}).code == 0);
  const std::string text = read_text(folder.path / "top.toml");
  folder.write("top.toml", text + "# heavier\n");
  const Outcome refused = folder.batch({"-o", "out", "--resume"});
  CHECK(refused.code == 3);
  CHECK(contains(refused.err, "the scene was edited"));
  CHECK_FALSE(contains(folder.table("out"), "# note"));
  const Outcome forced = folder.batch({"-o", "out", "--resume", "--force"});
  CHECK(forced.code == 0);
  CHECK(contains(forced.err, "forced although the scene was edited"));
  CHECK(contains(folder.table("out"), "\n# note: forced although the scene was edited"));
  folder.write("top.toml", text);
  folder.write("study.toml", "scene = \"top.toml\"\n" + tops(2) + "# more\n");
  CHECK(contains(folder.batch({"-o", "out", "--resume"}).err, "the study was edited"));
  folder.write("study.toml", "scene = \"top.toml\"\n" + tops(3));
  CHECK(contains(folder.batch({"-o", "out", "--resume", "--force"}).err, "\"cases\" was 4 and is 6"));
  CHECK(contains(read_text(folder.path / "out/ledger.sqlite"), "forced although the scene was edited"));
}

TEST_CASE("a batch whose table now has other columns does not resume, even with --force") {
  const BatchFolder folder(tops(2));
  REQUIRE(folder.batch({"-o", "out"}).code == 0);
  const std::string table = folder.table("out");
  std::string other = tops(2);
  other.replace(other.find("body.top.z"), 10, "body.top.x");
  folder.write("study.toml", "scene = \"top.toml\"\n" + other);
  const Outcome refused = folder.batch({"-o", "out", "--resume", "--force"});
  CHECK(refused.code == 3);
  CHECK(contains(refused.err,
                 "a column of its table was the result \"body.top.z@0.03\" in \"m\" and is the result "
                 "\"body.top.x@0.03\" in \"m\""));
  CHECK(folder.table("out") == table);
}

TEST_CASE("a ledger takes a case only with as many results as its table has columns, or with none") {
  const WorkFolder folder;
  batch::Ledger ledger(batch::Ledger::make(folder.path, {{"cases", "2"}, {"shard", "1"}, {"shards", "1"}},
                                           {{{"mass", "kg"}}, {{"x", "m"}, {"y", "m"}}}));
  batch::CaseRecord record;
  record.status = "reached-end";
  record.parameters = {1.};
  record.results = {2.};
  CHECK_THROWS_AS(ledger.add(record, 0), std::logic_error);
  record.results = {2., 3.};
  CHECK_NOTHROW(ledger.add(record, 0));
  record.number = 1;
  record.results.clear();
  CHECK_NOTHROW(ledger.add(record, 0));
}

TEST_CASE("a batch resumes only if all files that the tables of its cases read are unchanged") {
  const BatchFolder folder(
      "[[parameter]]\nkind = \"list\"\nkey = \"force.push.force\"\n"
      "values = [[0, 0, 'table(\"first.csv\", \"y\", t)'], [\"table ( \\\"later.csv\\\", 'y', t)\", 0, 0]]\n"
      "[[parameter]]\nkind = \"list\"\nkey = \"force.load{i}.repeat\"\nvalues = [1, 2]\n"
      "[keep]\nreference = [\"force.push.force.1=table('reference.csv', 'y', t)\"]\n");
  folder.write("top.toml",
               read_text(folder.path / "top.toml") +
                   "[[force]]\nname = \"push\"\nkind = \"body-force\"\nbody = \"top\"\nforce = [0, 0, 0]\n"
                   "[[force]]\nname = \"load{i}\"\nkind = \"body-force\"\nrepeat = 1\nbody = \"top\"\n"
                   "force = [0, 0, \"table('load{i + 1}.csv', 'y', t)\"]\n");
  const std::string text = "t,y\n0,0\n1,1\n";
  const char* files[] = {"first.csv", "later.csv", "load1.csv", "load2.csv", "reference.csv"};
  for (const char* file : files) folder.write(file, text);
  REQUIRE(folder.batch({"-o", "out"}).code == 0);
  for (const char* file : files) {
    CAPTURE(file);
    folder.write(file, text + "2,1\n");
    const Outcome refused = folder.batch({"-o", "out", "--resume"});
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "a file of a table was changed"));
    folder.write(file, text);
    CHECK(folder.batch({"-o", "out", "--resume"}).code == 0);
  }
  folder.write("other.csv", text);  // a file that no case reads
  CHECK(folder.batch({"-o", "out", "--resume"}).code == 0);
}

TEST_CASE("a case that crashes the program twice is skipped; a case that was interrupted is not") {
  const BatchFolder folder(tops(3));
  const auto resume = [&] { return folder.batch({"-o", "out", "--resume"}); };
  const auto leave = [&](std::int64_t crashed, std::int64_t killed) {
    const std::int64_t slots[] = {-(crashed + 1), killed + 1};
    folder.write("out/under_way", std::string(batch::UnderWay::mark) +
                                      std::string(reinterpret_cast<const char*>(slots), sizeof slots));
  };
  const Command run(folder.path, BatchFolder::arguments({"-o", "out"}));
  while (!folder.has("out/under_way")) ::usleep(100);
  run.signal(SIGKILL);
  run.wait();
  ::sqlite3* ledger = nullptr;
  const auto forget = [&] {
    REQUIRE(sqlite3_open((folder.path / "out/ledger.sqlite").c_str(), &ledger) == SQLITE_OK);
    REQUIRE(sqlite3_exec(ledger, "DELETE FROM cases", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(ledger);
  };
  for (int i = 0; i < 2; ++i) {
    forget();
    leave(2, 4);
    resume();
  }
  const std::string table = torsor(folder.path, {"table", "out", "--columns", "case,status,attempts"}).out;
  CHECK(contains(table, "2,crashed,2\n"));
  CHECK(contains(table, "4,reached-end,3\n"));
  CHECK(resume().code == 1);
}

TEST_CASE("a crash marks the case of the crashing thread") {
  const WorkFolder folder;
  {
    batch::UnderWay under_way(folder.path, 2);
    under_way.begin(1, 5);
    batch::note_crash();
  }
  batch::note_crash();  // this thread has no case, so nothing is marked
  const auto left = batch::UnderWay::left_in(folder.path);
  REQUIRE(left.size() == 1);
  CHECK(left[0].number == 5);
  CHECK(left[0].crashed);
}

TEST_CASE("a file of running cases that ends within its mark does not block a batch; other files stay") {
  const BatchFolder folder(tops(2));
  const char* others[] = {"out/under_way.txt", "out/under_way.", "out/under_way.1x"};
  const auto resumed = [&](const std::string& content) {
    std::filesystem::remove_all(folder.path / "out");
    std::filesystem::create_directory(folder.path / "out");
    for (const char* file : {"out/under_way", "out/under_way.3"}) folder.write(file, content);
    for (const char* other : others) folder.write(other, "");
    Outcome outcome = folder.batch({"-o", "out", "--resume"});
    for (const char* other : others) CHECK(folder.has(other));
    return outcome;
  };
  for (const char* torn : {"", "t", "torsor/under_wa"}) {
    CAPTURE(torn);
    CHECK(resumed(torn).code == 0);
    CHECK_FALSE(folder.has("out/under_way.3"));
  }
  for (const char* foreign : {"mine", "torsor/under_wax"}) {
    CAPTURE(foreign);
    const Outcome refused = resumed(foreign);
    CHECK(refused.code == 4);
    CHECK(contains(refused.err, "under_way: File exists"));
    for (const char* file : {"out/under_way", "out/under_way.3"})
      CHECK(read_text(folder.path / file) == foreign);
  }
}

TEST_CASE("a file of running cases that cannot be written is removed, and the message has the reason") {
  const WorkFolder folder;
  for (const rlim_t bytes : {0, 5, 20}) {
    CAPTURE(bytes);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before;
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    std::string why;
    try {
      const batch::UnderWay under_way(folder.path, 2);
    } catch (const io::IoError& error) {
      why = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(why == "cannot write " + (folder.path / "under_way").string() + ": File too large");
    CHECK(folder.empty());
  }
}

TEST_CASE("a file in place of the folder of trajectories ends a batch with exit code 4 and stays") {
  const BatchFolder folder(tops(2) + "trajectories = true\n");
  std::filesystem::create_directory(folder.path / "out");
  folder.write("out/trajectories", "mine");
  const Outcome refused = folder.batch({"-o", "out"});
  CHECK(refused.code == 4);
  CHECK(contains(refused.err, "torsor: error: cannot create out/trajectories: "));
  CHECK(read_text(folder.path / "out/trajectories") == "mine");
}

TEST_CASE("a file size limit ends a batch with exit code 4 and leaves finished cases unchanged") {
  const BatchFolder folder(long_study());
  REQUIRE(folder.batch({"-o", "whole"}).code == 0);
  for (const rlim_t bytes : {0, 3000, 50000, 300000, 1000000}) {
    CAPTURE(bytes);
    const Outcome full = folder.batch({"-o", "out", "--resume"}, [bytes] {
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      const rlimit limit{bytes, bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    CHECK(full.code == 4);
    if (bytes > 0) CHECK(contains(full.err, "torsor: error: cannot "));  // 0 bytes: not even a message
    CHECK_FALSE(contains(torsor(folder.path, {"status", "out"}).out, "running"));
  }
  CHECK(folder.batch({"-o", "out", "--resume"}).code == 0);
  CHECK(folder.table("out") == folder.table("whole"));
}

TEST_CASE("a full file system ends a batch with exit code 4; the batch resumes when there is space again") {
  const BatchFolder folder(long_study());
  REQUIRE(folder.batch({"-o", "whole"}).code == 0);
  const char* script =
      "\"$0\" batch study.toml -j 2 -o small/out; echo ended with $?\n"
      "\"$0\" status small/out\n"
      "mount -o remount,size=100m small && \"$0\" batch study.toml -j 2 -o small/out --resume\n"
      "cp small/out/table.csv afterwards.csv";
  const auto on_disk = torsor_on_disk(folder.path, "small", "600k", script);
  if (!on_disk) return;
  const Outcome& outcome = *on_disk;
  CHECK(outcome.code == 0);
  CHECK(contains(outcome.out, "ended with 4"));
  CHECK_FALSE(contains(outcome.out, "running"));
  CHECK(contains(outcome.err, "torsor: error: cannot "));
  CHECK(read_text(folder.path / "afterwards.csv") == folder.table("whole"));
}

}  // namespace torsor::test
