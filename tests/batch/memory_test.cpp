#include <doctest/doctest.h>

#include <iterator>
#include <new>

#include "batch/lanes/fiber.hpp"
#include "batch/workers/workers.hpp"
#include "some_study.hpp"

namespace torsor::test {
namespace {

const std::string outputs =
    "[[parameter]]\nkind = \"list\"\nkey = \"run.output\"\nvalues = [0.05, 1e-3, 0.1]\n[keep]\ntrajectories "
    "= true\n";

TEST_CASE("a batch whose outputs exceed the limit of numbers for each case is refused before it starts") {
  const StudyFolder folder;
  const batch::Study study = folder.study(outputs);
  try {
    run_batch(study, {.folder = folder.path / "out", .case_numbers = 50});
    FAIL("not refused");
  } catch (const scene::SceneError& error) {
    CHECK(error.limit_exceeded);
    const std::string text = error.diagnostics.front().message;
    CHECK(text.starts_with("3 outputs of "));
    CHECK(
        text.ends_with(" columns are more than the 50 numbers that a case keeps of its trajectory; give a "
                       "greater run.output"));
  }
  CHECK_FALSE(folder.has("out"));
}

TEST_CASE("a case whose trajectory exceeds the limit ends as out-of-memory and the other cases continue") {
  const StudyFolder folder;
  const std::string table =
      table_of(folder.study(outputs), {.folder = folder.path / "out", .threads = 1, .case_numbers = 1000});
  CHECK(table.find("\n1,0.001,out-of-memory,the trajectory has more than 1000 numbers") != std::string::npos);
  for (const char* other : {"\n0,0.05,reached-end,", "\n2,0.1,reached-end,"})
    CHECK(table.find(other) != std::string::npos);
}

TEST_CASE("an exception that leaves a case stops all threads and lanes, and the writer gets it") {
  const WorkFolder folder;
  for (const int lanes : {1, 2}) {
    if (lanes > 1 && !batch::Fiber::available()) continue;
    CAPTURE(lanes);
    constexpr std::int64_t cases = 1000000;
    batch::UnderWay under_way(folder.path, 2 * lanes, lanes);
    batch::CaseSource source(0, 1, cases, std::vector<bool>(cases), {});
    source.give(0, cases);
    source.close();
    batch::Workers workers(2, lanes, source, under_way, [](std::int64_t k) {
      if (k == 5) throw std::bad_alloc();
      return std::optional<batch::CaseResult>(std::in_place);
    });
    std::int64_t taken = 0;
    while (!workers.finished()) taken += std::ssize(workers.take(std::chrono::milliseconds(10)));
    CHECK(taken < cases);
    CHECK_THROWS_AS(workers.throw_if_failed(), std::bad_alloc);
    workers.throw_if_failed();  // the second call throws nothing
  }
}

}  // namespace
}  // namespace torsor::test
