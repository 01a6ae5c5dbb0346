#include <doctest/doctest.h>

#include "batch/table.hpp"
#include "some_study.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {

// The table of a batch depends on the study alone.
TEST_CASE("threads, lanes, shards and order leave every byte of the table unchanged") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(21));
  const std::string once = table_of(study, {.folder = folder.path / "once", .threads = 1});
  CHECK(std::count(once.begin(), once.end(), '\n') > 42);
  int run = 0;
  for (const int threads : {1, 2, 3, 4, 8}) {
    for (const int shards : {1, 3, 7}) {
      CAPTURE(threads);
      CAPTURE(shards);
      const std::filesystem::path place = folder.path / std::to_string(run);
      std::vector<std::filesystem::path> parts;
      for (int shard = 1; shard <= shards; ++shard) {
        parts.push_back(place / std::to_string(shard));
        run_batch(study, {.folder = parts.back(),
                          .threads = threads,
                          .shard = shard,
                          .shards = shards,
                          .lanes = run % 4 != 3,
                          .shuffle = static_cast<std::uint64_t>(++run)});
      }
      CHECK(batch::merge_batches(parts, place / "whole") == 0);
      CHECK(read_text(place / "whole/table.csv") == once);
      CHECK(read_text(place / "whole/statistics.csv") == read_text(folder.path / "once/statistics.csv"));
    }
  }
}

TEST_CASE("a case has the same bits as a single run of its scene") {
  const StudyFolder folder;
  const batch::Study study = folder.study(tops(3));
  run_batch(study, {.folder = folder.path / "out"});
  std::string table;
  batch::read_table(folder.path / "out",
                    {.where = "case = 4", .columns = {"body.top.x", "body.top.z@0.1", "energy"}},
                    [&](std::string_view text) { table += text; });
  const scene::Scene scene = study.scene.scene(study.overrides(study.values(4)));
  const scene::ReadyModel ready = make_model(scene);
  const Trajectory trajectory = run(ready.model, ready.start, scene.run);
  const Sample& last = trajectory.samples.back();
  char text[200];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g", last.bodies[0].x[0], last.bodies[0].x[2],
                last.invariants.energy());
  double expected[3], found[3];
  REQUIRE(std::sscanf(text, "%lf %lf %lf", &expected[0], &expected[1], &expected[2]) == 3);
  REQUIRE(std::sscanf(table.c_str() + table.rfind('\n', table.size() - 2) + 1, "%lf,%lf,%lf", &found[0],
                      &found[1], &found[2]) == 3);
  for (int i = 0; i < 3; ++i) CHECK(found[i] == expected[i]);
}

TEST_CASE("merge refuses shards of another study and damaged segments; without all shards it is incomplete") {
  const StudyFolder folder;
  const auto parts = [&](const batch::Study& study, const char* name, int shard) {
    run_batch(study, {.folder = folder.path / name, .shard = shard, .shards = 2});
    return folder.path / name;
  };
  const batch::Study study = folder.study(tops(4) + "trajectories = true\n");
  const auto first = parts(study, "first", 1), second = parts(study, "second", 2);
  const auto other = parts(folder.study(tops(5)), "other", 2);
  CHECK_THROWS_WITH_AS(batch::merge_batches({first, other}, folder.path / "a"),
                       doctest::Contains("does not belong to"), std::invalid_argument);
  CHECK(batch::merge_batches({first}, folder.path / "half") == 4);
  CHECK(batch::batch_state(folder.path / "half").ended == "incomplete");
  CHECK(batch::merge_batches({first, second, first}, folder.path / "whole") == 0);
  CHECK(batch::batch_state(folder.path / "whole").ended == "complete");
  const std::filesystem::directory_iterator trajectories(folder.path / "whole/trajectories"), end;
  CHECK(std::distance(trajectories, end) == 2);  // those of `first` are there once

  // A file whose cases are partly in an earlier folder is not damaged when the merged batch is resumed.
  run_batch(study, {.folder = folder.path / "all"});
  CHECK(batch::merge_batches({first, folder.path / "all"}, folder.path / "joined") == 0);
  std::string said;
  CHECK(run_batch(study, {.folder = folder.path / "joined",
                          .resume = true,
                          .tell = [&](const std::string& text) { said += text; }})
            .complete);
  CHECK(said.empty());

  const auto segment = second / "trajectories/segment_000001.h5";
  std::string bytes = read_text(segment);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(segment, std::ios::binary) << bytes;
  CHECK_THROWS_WITH_AS(batch::merge_batches({first, second}, folder.path / "b"),
                       doctest::Contains("is damaged"), io::IoError);
}

}  // namespace torsor::test
