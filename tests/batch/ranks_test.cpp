#include <doctest/doctest.h>
#include <fcntl.h>

#include <atomic>
#include <csignal>
#include <new>
#include <sstream>
#include <system_error>

#include "batch/table.hpp"
#include "some_study.hpp"
#include "support/contains.hpp"
#include "thread_ranks.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {
namespace {

/// Environment that lets Open MPI run on one machine, also in a container and without ssh.
void let_mpi_run_here() {
  for (const auto& [name, value] : {std::pair{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                    {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                                    {"OMPI_MCA_plm", "isolated"}})
    ::setenv(name, value, 1);
}

class MpiFolder : public StudyFolder {
 public:
  explicit MpiFolder(const std::string& lines) { write("study.toml", "scene = \"top.toml\"\n" + lines); }
  Command start(int ranks, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"-np", std::to_string(ranks), TORSOR_COMMAND, "batch",
                                          "study.toml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Command(path, arguments, let_mpi_run_here, TORSOR_MPIRUN);
  }
  Outcome batch(int ranks, std::vector<std::string> more) const {
    return start(ranks, std::move(more)).wait();
  }
  std::string table(const char* folder) const { return read_text(path / folder / "table.csv"); }
};

/// The child processes of a process.
std::vector<::pid_t> children(::pid_t parent) {
  const std::string id = std::to_string(parent);
  std::istringstream list(read_text("/proc/" + id + "/task/" + id + "/children"));
  std::vector<::pid_t> all;
  for (::pid_t child = 0; list >> child;) all.push_back(child);
  return all;
}

}  // namespace

TEST_CASE("ranks, threads and order leave every byte of the table and the statistics unchanged") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(21) + "trajectories = true\n");
  const std::string once = table_of(study, {.folder = folder.path / "once", .threads = 1});
  int run = 0;
  for (const int size : {1, 2, 3}) {
    for (const int threads : {0, 1, 2, 4}) {
      CAPTURE(size);
      CAPTURE(threads);
      const auto place = folder.path / std::to_string(++run);
      ThreadRanks(size).run([&](batch::Ranks& ranks) {
        const batch::BatchSummary summary = run_batch(study, {.folder = place,
                                                              .threads = threads,
                                                              .shuffle = static_cast<std::uint64_t>(run),
                                                              .ranks = &ranks});
        CHECK(summary.complete == (ranks.rank() == 0));
      });
      CHECK(read_text(place / "table.csv") == once);
      CHECK(read_text(place / "statistics.csv") == read_text(folder.path / "once/statistics.csv"));
      CHECK(batch::merge_batches({place}, place / "copy") == 0);  // every trajectory is present and intact
    }
  }
}

TEST_CASE(
    "a rank that cannot take part ends the batch with an error that names the rank; the batch can be "
    "resumed") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(40)), other = folder.study(tops(40) + "final = false\n");
  const auto work = [&](const batch::Study& second) {
    ThreadRanks(3).run([&](batch::Ranks& ranks) {
      run_batch(ranks.rank() == 2 ? second : study,
                {.folder = folder.path / "out", .resume = true, .ranks = &ranks});
    });
  };
  CHECK_THROWS_WITH_AS(work(other), "rank 2: the study was edited", std::runtime_error);
  CHECK_THROWS_WITH_AS(ThreadRanks(2).run([&](batch::Ranks& ranks) {
    if (ranks.rank() == 1) return decline_batch(ranks, "its disk is gone");
    run_batch(study, {.folder = folder.path / "another", .ranks = &ranks});
  }),
                       "rank 1: its disk is gone", std::runtime_error);
  work(study);
  CHECK(read_text(folder.path / "out/table.csv") == table_of(study, {.folder = folder.path / "once"}));
}

TEST_CASE("if a rank fails during the batch, the cases that are finished are kept") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(400));
  std::atomic<bool> some_done = false;
  CHECK_THROWS_WITH_AS(ThreadRanks(2).run([&](batch::Ranks& ranks) {
    batch::BatchOptions options{.folder = folder.path / "out", .ranks = &ranks};
    if (ranks.rank() == 0)
      options.progress = [&](const batch::BatchState& state) { some_done = state.done >= 3; };
    else
      options.cancelled = [&] { return some_done ? throw std::runtime_error("its disk is gone") : false; };
    run_batch(study, options);
  }),
                       "rank 1: its disk is gone", std::runtime_error);
  const batch::BatchState state = batch::batch_state(folder.path / "out");
  CHECK(state.ended == "failed");
  CHECK(state.done >= 3);
  run_batch(study, {.folder = folder.path / "out", .resume = true});
  CHECK(read_text(folder.path / "out/table.csv") == table_of(study, {.folder = folder.path / "once"}));
}

TEST_CASE("the error of a rank that has no memory left names the rank and the cause") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(400));
  CHECK_THROWS_WITH_AS(ThreadRanks(2).run([&](batch::Ranks& ranks) {
    batch::BatchOptions options{.folder = folder.path / "out", .ranks = &ranks};
    if (ranks.rank() == 1) options.cancelled = []() -> bool { throw std::bad_alloc(); };
    run_batch(study, options);
  }),
                       "rank 1: Cannot allocate memory", std::system_error);
}

TEST_CASE("the other ranks end when rank 0 cannot start") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(2));
  std::filesystem::create_directory(folder.path / "out");
  folder.write("out/ledger.sqlite", "no ledger");
  CHECK_THROWS_AS(ThreadRanks(3).run([&](batch::Ranks& ranks) {
    run_batch(study, {.folder = folder.path / "out", .ranks = &ranks});
  }),
                  std::invalid_argument);
}

TEST_CASE("cancelling one rank ends the batch, which can then be resumed") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(400));
  ThreadRanks(3).run([&](batch::Ranks& ranks) {
    const bool leaves = ranks.rank() == 1;
    const batch::BatchSummary summary = run_batch(
        study, {.folder = folder.path / "out", .ranks = &ranks, .cancelled = [leaves] { return leaves; }});
    CHECK_FALSE(summary.complete);
  });
  CHECK(batch::batch_state(folder.path / "out").ended == "interrupted");
  run_batch(study, {.folder = folder.path / "out", .resume = true});
  CHECK(read_text(folder.path / "out/table.csv") == table_of(study, {.folder = folder.path / "once"}));
}

TEST_CASE("a program that mpirun started without the MPI module reports the missing module") {
  const WorkFolder folder;
  const auto copy = folder.path / "torsor";
  std::filesystem::copy_file(TORSOR_COMMAND, copy);
  const Outcome outcome =
      Command(
          folder.path, {"batch", "heavy_tops"}, [] { ::setenv("PMIX_RANK", "0", 1); }, copy.c_str())
          .wait();
  CHECK(outcome.code == 70);
  CHECK(contains(outcome.err,
                 "torsor: error: mpirun started this program, but its module for MPI, torsor_mpi.so, cannot "
                 "be loaded: "));
}

TEST_SUITE("mpirun" * doctest::skip(std::string(TORSOR_MPIRUN).empty())) {
  TEST_CASE("the number of mpirun ranks leaves every byte of the table unchanged") {
    const MpiFolder folder(tops(40) + "trajectories = true\n");
    const batch::Study study = batch::load_study((folder.path / "study.toml").string());
    const std::string once = table_of(study, {.folder = folder.path / "once"});
    for (const int ranks : {1, 2, 3}) {
      CAPTURE(ranks);
      const std::string out = "out" + std::to_string(ranks);
      const Outcome outcome = folder.batch(ranks, {"-o", out, "-j", "2"});
      CHECK(outcome.code == 0);
      CHECK(contains(outcome.out, "80 of 80 done, 0 failed"));
      CHECK(read_text(folder.path / out / "table.csv") == once);
    }
  }

  TEST_CASE("an error is reported once, whatever the number of ranks") {
    const MpiFolder folder("draws = -1\n");
    const Outcome outcome = folder.batch(3, {"-o", "out"});
    CHECK(outcome.code == 3);
    const auto at = outcome.err.find("study.toml:2:9: error: ");
    CHECK(at != std::string::npos);
    CHECK(outcome.err.find("study.toml:2:9: error: ", at + 1) == std::string::npos);
    CHECK_FALSE(folder.has("out"));
  }

  TEST_CASE("after the death of any rank, or a signal to all, --resume finishes the table") {
    const MpiFolder folder(tops(400) + "[[parameter]]\nkind = \"list\"\nkey = \"run.end\"\nvalues = [5]\n");
    REQUIRE(folder.batch(2, {"-o", "whole"}).code == 0);
    const char* asked = std::getenv("TORSOR_TEST_KILLS");
    const int kills = asked ? std::stoi(asked) / 10 : 3;
    for (int attempt = 0; attempt < kills; ++attempt) {
      const int victim = attempt % 3;
      CAPTURE(victim);
      std::filesystem::remove_all(folder.path / "out");
      const Command run = folder.start(3, {"-o", "out", "--checkpoint", "0.03"});
      while (!folder.has("out/under_way.2")) ::usleep(1000);
      ::usleep(100000);
      ::kill(children(run.id()).at(static_cast<std::size_t>(victim)), SIGKILL);
      CHECK(run.wait().code != 0);
      CHECK(folder.batch(2, {"-o", "out", "--resume"}).code == 0);
      CHECK(folder.table("out") == folder.table("whole"));
    }
    std::filesystem::remove_all(folder.path / "out");
    const Command run = folder.start(2, {"-o", "out"});
    while (!folder.has("out/under_way.1")) ::usleep(1000);
    ::usleep(100000);
    run.signal(SIGTERM);
    CHECK(run.wait().code != 0);
    CHECK(folder.batch(3, {"-o", "out", "--resume"}).code == 0);
    CHECK(folder.table("out") == folder.table("whole"));
  }
}

}  // namespace torsor::test
