#include <doctest/doctest.h>
#include <hdf5.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "batch/table.hpp"
#include "some_study.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.starts_with('#')) all.push_back(line);
  return all;
}

void write_study(const StudyFolder& folder, const std::string& text) {
  folder.write("study.toml", "scene = \"top.toml\"\n" + text);
}

}  // namespace

TEST_CASE("--plan describes a batch and runs nothing") {
  const StudyFolder folder;
  write_study(folder, tops(5));
  const Outcome outcome = torsor(folder.path, {"batch", "study.toml", "--plan"});
  CHECK(outcome.code == 0);
  CHECK(contains(outcome.out, "cases    10\n"));
  CHECK(contains(outcome.out, "first    body.top.quaternion_wxyz = ["));
  CHECK(contains(outcome.out, "integrator.method = \"cf4\""));
  CHECK_FALSE(folder.has("results"));
}

TEST_CASE("planning ten million cases takes less than 512 MiB of memory") {
  const StudyFolder folder;
  write_study(folder, "draws = 10000000\n" + random_attitude);
  const Outcome outcome =
      torsor(folder.path, {"batch", "study.toml", "--plan"}, [] { limit_addresses(512u << 20); });
  CHECK(outcome.code == 0);
  CHECK(contains(outcome.out, "cases    10000000\n"));
}

TEST_CASE("a failed case gives exit code 1 and a message in its row; the other rows are complete") {
  const StudyFolder folder;
  write_study(
      folder,
      "[[parameter]]\nkind = \"list\"\nkey = \"run.max_steps\"\nvalues = [1000, 10]\n"
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.tolerance\"\nvalues = [1e-6, 1e-8]\nzip = \"m\"\n"
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.method\"\nvalues = [\"rkmk4\", \"lie-verlet\"]\n"
      "zip = \"m\"\n[keep]\nfinal = false\ninvariants = false\n");
  const Outcome outcome = torsor(folder.path, {"batch", "study.toml", "-o", "out"});
  CHECK(outcome.code == 1);
  CHECK(contains(outcome.out, "4 of 4 done, 3 failed"));
  const auto rows = lines(read_text(folder.path / "out/table.csv"));
  REQUIRE(rows.size() == 5);
  CHECK(rows[0] ==
        "case,run.max_steps,integrator.tolerance,integrator.method,status,message,energy_max_drift,"
        "steps_accepted,steps_rejected,evaluations");
  CHECK(rows[1].starts_with("0,1000,1e-06,rkmk4,reached-end,,"));
  CHECK(rows[2].starts_with("1,1000,1e-08,lie-verlet,invalid-scene,"));
  CHECK(contains(rows[2], "lie-verlet takes a fixed"));
  CHECK(rows[2].ends_with(",,,,"));
  CHECK(contains(rows[3], "step-limit"));
  CHECK(contains(torsor(folder.path, {"status", "out"}).out, "failed  3\n"));
}

TEST_CASE("a value within a range that the scene refuses fails its case as invalid-scene; the others run") {
  const StudyFolder folder;
  write_study(
      folder,
      "[[parameter]]\nkind = \"range\"\nkey = \"run.max_steps\"\nfrom = 1000\nto = 1003\ncount = 3\n");
  const Outcome outcome = torsor(folder.path, {"batch", "study.toml", "-o", "out"});
  CHECK(outcome.code == 1);
  CHECK(contains(outcome.out, "3 of 3 done, 1 failed"));
  CHECK(lines(read_text(folder.path / "out/table.csv"))[2].starts_with("1,1001.5,invalid-scene,"));
}

TEST_CASE("a case whose values contradict each other has no trajectory; the other cases keep theirs") {
  const StudyFolder folder;
  write_study(folder,
              "[[parameter]]\nkind = \"list\"\nkey = \"body.top.inertia\"\n"
              "values = [[1, 1, 1], [1, 1, 3]]\n[keep]\ntrajectories = true\n");
  const Outcome outcome = torsor(folder.path, {"batch", "study.toml", "-o", "out"});
  CHECK(outcome.code == 1);
  CHECK(contains(outcome.out, "2 of 2 done, 1 failed"));
  const auto rows = lines(read_text(folder.path / "out/table.csv"));
  REQUIRE(rows.size() == 3);
  CHECK(contains(rows[2], "invalid-scene"));
  CHECK(contains(rows[2], "triangle inequality"));
  CHECK(batch::merge_batches({folder.path / "out"}, folder.path / "copy") == 0);  // the trajectory is intact
}

TEST_CASE(
    "no cell of a table is a spreadsheet formula, and no text of a study reaches the terminal unescaped") {
  const StudyFolder folder;
  write_study(folder,
              "title = \"a\\u001b[31m\\u202Eb\"\n[[parameter]]\nkind = \"list\"\nkey = \"title\"\nvalues = "
              "[\"=1+1\", \"@sum\", \"-2+cmd|' /C x'!A0\", \"-5 deg\", \"a=b\", \"\\u202Ea\\u009b\"]\n"
              "[keep]\nfinal = false\ninvariants = false\n");
  const Outcome outcome = torsor(folder.path, {"batch", "study.toml", "-o", "out"});
  CHECK(outcome.code == 0);
  const std::string plan = torsor(folder.path, {"batch", "study.toml", "--plan"}).out;
  CHECK(contains(plan, "a\\u001B[31m\\u202Eb"));
  CHECK(contains(plan, "title = \"\\u202Ea\\u009B\""));
  const Outcome unknown = torsor(folder.path, {"table", "out", "--columns", "\033[31m"});
  CHECK(contains(unknown.err, "no column \"\\u001B[31m\""));
  const auto rows = lines(read_text(folder.path / "out/table.csv"));
  REQUIRE(rows.size() == 7);
  CHECK(rows[1].starts_with("0,'=1+1,reached-end,"));
  CHECK(rows[2].starts_with("1,'@sum,reached-end,"));
  CHECK(rows[3].starts_with("2,'-2+cmd|' /C x'!A0,reached-end,"));
  CHECK(rows[4].starts_with("3,-5 deg,reached-end,"));
  CHECK(rows[5].starts_with("4,a=b,reached-end,"));
}

TEST_CASE("a column at a time is empty in a case that begins after this time or ends before it") {
  const StudyFolder folder;
  write_study(folder,
              "[[parameter]]\nkind = \"list\"\nkey = \"run.begin\"\nvalues = [0, 0.05, 0]\nzip = \"run\"\n"
              "[[parameter]]\nkind = \"list\"\nkey = \"run.end\"\nvalues = [0.1, 0.1, 0.06]\nzip = \"run\"\n"
              "[keep]\nfinal = false\ninvariants = false\ncolumns = [\"t\"]\ntimes = [0, 0.02, 0.08]\n");
  REQUIRE(torsor(folder.path, {"batch", "study.toml", "-o", "out"}).code == 0);
  const auto rows = lines(read_text(folder.path / "out/table.csv"));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].ends_with(",t@0,t@0.02,t@0.08"));
  CHECK(rows[1].ends_with(",0,0.02,0.08"));
  CHECK(rows[2].ends_with(",,,0.08"));
  CHECK(rows[3].ends_with(",0,0.02,"));
}

TEST_CASE("the head of a table states the settings that all cases share, and none that a parameter varies") {
  const StudyFolder folder;
  write_study(folder,
              "[[parameter]]\nkind = \"list\"\nkey = \"integrator.method\"\nvalues = [\"rkmk4\", \"cf4\"]\n"
              "[[parameter]]\nkind = \"list\"\nkey = \"integrator.group\"\n"
              "values = [\"direct\", \"semidirect\"]\n");
  REQUIRE(torsor(folder.path, {"batch", "study.toml", "-o", "out"}).code == 0);
  for (const char* file : {"out/table.csv", "out/statistics.csv"}) {
    CAPTURE(file);
    const std::string text = read_text(folder.path / file);
    CHECK(contains(text, "\n# step: 0.001\n"));
    CHECK(contains(text, "\n# formulation: tree\n"));
    CHECK_FALSE(contains(text, "# method:"));
    CHECK_FALSE(contains(text, "# group:"));
  }
}

TEST_CASE("a case that exceeds its time limit is recorded with the status wall-limit") {
  const StudyFolder folder;
  write_study(folder, "[[parameter]]\nkind = \"list\"\nkey = \"run.end\"\nvalues = [0.01, 1e6]\n");
  const Outcome outcome =
      torsor(folder.path, {"batch", "study.toml", "-o", "out", "--limit-per-case", "0.3"});
  CHECK(outcome.code == 1);
  const auto rows = lines(read_text(folder.path / "out/table.csv"));
  CHECK(contains(rows[1], ",reached-end,"));
  CHECK(contains(rows[2], ",wall-limit,"));
  CHECK(contains(rows[2], "the wall-time limit of 0.3 s passed"));
}

TEST_CASE("table prints the rows and columns that are asked for, with numbers unchanged") {
  const StudyFolder folder;
  write_study(folder, tops(10));
  REQUIRE(torsor(folder.path, {"batch", "study.toml", "-o", "out"}).code == 0);
  const auto table = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"table", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return torsor(folder.path, arguments);
  };
  CHECK(lines(table({}).out) == lines(read_text(folder.path / "out/table.csv")));
  CHECK_FALSE(contains(table({}).out, "wall_s"));
  CHECK(contains(table({"--timings"}).out, "wall_s"));
  CHECK(lines(table({"--columns", "case,wall_s", "--timings"}).out)[0] ==
        "case,wall_s,attempts,hash,segment");
  const auto rows = lines(table({"--where", "integrator.method = 'cf4' and body.top.z@0.1 < 0", "--columns",
                                 "case,body.top.z@0.1"})
                              .out);
  CHECK(rows[0] == "case,body.top.z@0.1");
  CHECK(rows.size() > 2);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    int number = 0;
    double z = 0;
    REQUIRE(std::sscanf(rows[i].c_str(), "%d,%lf", &number, &z) == 2);
    CHECK(number >= 10);
    CHECK(z < 0);
  }
  const auto refused = [&](const std::vector<std::string>& more, const char* message) {
    const Outcome outcome = table(more);
    CHECK(outcome.code == 2);
    CHECK(contains(outcome.err, message));
  };
  refused({"--columns", "body.tap.z"}, "no column \"body.tap.z\"; did you mean \"body.top.z\"?");
  refused({"--where", "body.tap.z > 0"}, "no column \"body.tap.z\"; did you mean \"body.top.z\"?");
  refused({"--where", "status = "}, "is not a valid condition");
  refused({"--where", "status = reached-end"}, "texts stand in single quotes, as in status = 'reached-end'");
  refused({"--where", "1); DELETE FROM cases; --"}, "is not a valid condition");
  refused({"--where", "abs(-9223372036854775807 - 1) > 0"},
          "cannot evaluate the condition \"abs(-9223372036854775807 - 1) > 0\": integer overflow");
  refused({"--where", "zeroblob(2000000000) > 1"},
          "cannot evaluate the condition \"zeroblob(2000000000) > 1\": string or blob too big");
  CHECK(torsor(folder.path, {"table", "nowhere"}).code == 3);
}

TEST_CASE("plot draws a result of a batch over a parameter, one line for each value of another parameter") {
  const StudyFolder folder;
  write_study(
      folder,
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.method\"\nvalues = [\"rkmk4\", \"cf4\"]\n"
      "[[parameter]]\nkind = \"range\"\nkey = \"integrator.step\"\nfrom = 1e-3\nto = 4e-3\ncount = 3\n"
      "spacing = \"logarithmic\"\n");
  REQUIRE(torsor(folder.path, {"batch", "study.toml", "-o", "out"}).code == 0);
  const auto plots = [&](const batch::TablePlot& plot) { return batch::plots_of(folder.path / "out", plot); };
  const auto all = plots({{"energy_max_drift", "body.top.z"},
                          "integrator.step",
                          "integrator.method",
                          {"Steps", {}, {}, true},
                          true});
  REQUIRE(all.size() == 2);
  CHECK(all[0].title == "Steps");
  CHECK(all[1].title.empty());
  CHECK(all[0].x_label == "integrator.step (s)");
  CHECK(all[0].y_label == "|energy_max_drift| (J)");
  CHECK(all[1].y_label == "|body.top.z| (m)");
  REQUIRE(all[0].lines.size() == 2);
  CHECK(all[0].lines[0].label == "integrator.method = cf4");
  CHECK(all[0].lines[1].label == "integrator.method = rkmk4");
  CHECK(all[0].log_x);
  CHECK(all[0].log_y);
  for (const io::PlotLine& line : all[0].lines) {
    REQUIRE(line.x.size() == 3);
    CHECK(line.x[0] == 1e-3);
    CHECK(line.x[1] == doctest::Approx(2e-3));
    CHECK(line.x[2] == 4e-3);
    CHECK(line.y[0] < line.y[1]);  // a method of order 4
    CHECK(line.y[1] < line.y[2]);
  }
  const auto part = plots({{"energy_max_drift"}, "integrator.step", "", {"", 1.5e-3, 3e-3}});
  REQUIRE(part.size() == 1);
  REQUIRE(part[0].lines.size() == 1);
  CHECK(part[0].lines[0].label == "energy_max_drift");
  CHECK(part[0].lines[0].x.size() == 2);
  CHECK_THROWS_WITH_AS(plots({{"body.top.z"}, "integrator.method"}),
                       "no case that reached its end has a number in \"integrator.method\"",
                       batch::QueryError);
  CHECK_THROWS_WITH_AS(plots({{"status"}, "integrator.step"}),
                       "no case that reached its end has a number in \"status\"", batch::QueryError);

  const auto plot = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"plot", "out", "--columns", "energy_max_drift"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return torsor(folder.path, arguments);
  };
  CHECK(plot({"--over", "integrator.step", "--by", "integrator.method", "--log", "--log-over"}).code == 0);
  CHECK(contains(read_text(folder.path / "out/plot.svg"), "integrator.method = rkmk4"));
  const auto refused = [&](const std::vector<std::string>& more, const char* message) {
    const Outcome outcome = plot(more);
    CHECK(outcome.code == 2);
    CHECK(contains(outcome.err, message));
  };
  refused({}, "--over: the plot of a batch needs a column for its horizontal axis");
  refused({"--over", "integrator.step", "--from", "1", "--to", "2"}, "in \"integrator.step\" from 1 to 2");
  refused({"--over", "integrator.stop"}, "no column \"integrator.stop\"; did you mean \"integrator.step\"?");
  CHECK(
      contains(torsor(folder.path, {"plot", "nowhere", "--columns", "drift", "--over", "a", "--by", "b"}).err,
               "--by: nowhere is not the folder of a batch"));
}

TEST_CASE(
    "a plot of a batch joins cases that differ by one parameter; its lines are in the order of numbers") {
  const StudyFolder folder;
  write_study(
      folder,
      "[[parameter]]\nkind = \"list\"\nkey = \"body.top.mass\"\nvalues = [5, 10, 15]\n"
      "[[parameter]]\nkind = \"range\"\nkey = \"body.top.angular_velocity_body.1\"\nfrom = 100\nto = 200\n"
      "count = 3\n");
  REQUIRE(torsor(folder.path, {"batch", "study.toml", "-o", "out"}).code == 0);
  const std::string spin = "body.top.angular_velocity_body.1";
  const auto lines = [&](const std::string& over, const std::string& by) {
    return batch::plots_of(folder.path / "out", {{"energy_max_drift"}, over, by})[0].lines;
  };
  const auto joined = lines(spin, "body.top.mass");
  REQUIRE(joined.size() == 3);
  const char* const labels[] = {"body.top.mass = 5 kg", "body.top.mass = 10 kg", "body.top.mass = 15 kg"};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(joined[i].label == labels[i]);
    CHECK(joined[i].joined);
  }
  for (const auto& cloud : {lines(spin, ""), lines("body.top.mass", ""), lines("body.top.z", "")}) {
    REQUIRE(cloud.size() == 1);
    CHECK(cloud[0].x.size() == 9);
    CHECK_FALSE(cloud[0].joined);
  }
}

TEST_CASE("segments hold whole trajectories, one dataset for each case") {
  const StudyFolder folder;
  write_study(folder, tops(3) + "trajectories = true\n");
  // A checkpoint ends a segment; within an hour there is none, so that the first segment has all cases.
  REQUIRE(torsor(folder.path, {"batch", "study.toml", "-o", "out", "--checkpoint", "3600"}).code == 0);
  const auto file = (folder.path / "out/trajectories/segment_000001.h5").string();
  const hid_t segment = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(segment >= 0);
  const hid_t rows = H5Dopen2(segment, "/case_0000005", H5P_DEFAULT);
  REQUIRE(rows >= 0);
  const hid_t space = H5Dget_space(rows);
  hsize_t size[2] = {};
  REQUIRE(H5Sget_simple_extent_dims(space, size, nullptr) == 2);
  CHECK(size[0] == 7);  // six output times of the scene and one time of [keep]
  std::vector<double> numbers(size[0] * size[1]);
  CHECK(H5Dread(rows, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
  CHECK(numbers[2 * size[1]] == 0.03);
  CHECK(numbers[6 * size[1]] == 0.1);
  for (const char* beside : {"/columns", "/units"}) {
    const hid_t texts = H5Dopen2(segment, beside, H5P_DEFAULT), extent = H5Dget_space(texts);
    CHECK(static_cast<hsize_t>(H5Sget_simple_extent_npoints(extent)) == size[1]);
    for (const hid_t object : {extent, texts}) H5Idec_ref(object);
  }
  for (const hid_t object : {space, rows, segment}) H5Idec_ref(object);
}

TEST_CASE("a study may vary a scene in coordinates") {
  const StudyFolder folder;
  folder.write("chart.toml",
               "[run]\nend = 1\noutput = 0.5\n[integrator]\nmethod = \"rkmk4\"\nstep = 0.01\n"
               "[chart]\ncoordinates = [\"angle\"]\nstart = [0.3]\nrates = [0]\nmetric = [[1]]\n"
               "potential = \"-9.81*cos(angle)\"\n");
  folder.write("study.toml",
               "scene = \"chart.toml\"\n[[parameter]]\nkind = \"range\"\nkey = \"chart.start.0\"\nfrom = 0\n"
               "to = 0.4\ncount = 3\n[keep]\ncolumns = [\"coordinate.angle.value\"]\ntimes = [0.25]\n"
               "trajectories = true\n");
  REQUIRE(torsor(folder.path, {"batch", "study.toml", "-o", "out"}).code == 0);
  const auto rows = lines(read_text(folder.path / "out/table.csv"));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].starts_with(
      "case,chart.start.0,status,message,t,coordinate.angle.value,coordinate.angle.rate,kinetic,"));
  CHECK(rows[0].ends_with(",coordinate.angle.value@0.25"));
  CHECK(rows[1].starts_with("0,0,reached-end,,1,0,0,0,-9.81,"));
  CHECK(rows[3].starts_with("2,0.4,reached-end,,1,"));
}

TEST_CASE("batch reports progress as JSON and refuses wrong command lines") {
  const StudyFolder folder;
  write_study(folder, tops(3));
  const Outcome outcome =
      torsor(folder.path, {"batch", "study.toml", "--progress", "json", "--shard", "2/4"});
  CHECK(outcome.code == 0);
  const auto last = nlohmann::json::parse(lines(outcome.err).back());
  CHECK(last.at("done") == 2);
  CHECK(last.at("left") == 0);
  CHECK(folder.has("results/study-2of4/table.csv"));
  for (const char* shard : {"0/3", "4/3", "1", "a/b", "1/2x", "4294967297/4294967298"})
    CHECK(torsor(folder.path, {"batch", "study.toml", "--shard", shard}).code == 2);
  CHECK(torsor(folder.path, {"batch", "study.toml", "-j", "0"}).code == 2);
  CHECK(torsor(folder.path, {"batch", "nosuch.toml"}).code == 3);
  CHECK(torsor(folder.path, {"status", "."}).code == 3);
}

TEST_CASE("before the first case of a session has ended, the remaining time is unknown: JSON has null") {
  batch::BatchState state;
  CHECK(state.left_s() == 0);  // no case is left
  state.cases = 4;
  CHECK_FALSE(state.left_s().has_value());
  state.done = 1;
  state.rate = 0.5;
  CHECK(state.left_s() == 6);
  const StudyFolder folder;
  write_study(folder, "[[parameter]]\nkind = \"list\"\nkey = \"run.end\"\nvalues = [1e6]\n");
  const Outcome outcome = torsor(
      folder.path, {"batch", "study.toml", "-o", "out", "--progress", "json", "--limit-per-case", "2"});
  const auto reports = lines(outcome.err);
  REQUIRE(reports.size() > 1);
  const auto first = nlohmann::json::parse(reports.front()), last = nlohmann::json::parse(reports.back());
  CHECK(first.at("done") == 0);
  CHECK(first.at("left_s").is_null());
  CHECK(last.at("done") == 1);
  CHECK(last.at("left_s") == 0);
}

// A shipped study takes long; this test prints the plan of each study and runs a few of its cases.
TEST_CASE("shipped studies are found by name; their plans and a few of their cases run") {
  const StudyFolder folder;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TORSOR_SCENES "/studies")) {
    const std::string name = entry.path().stem().string();
    CAPTURE(name);
    CHECK(torsor(folder.path, {"batch", name, "--plan"}).code == 0);
    const Outcome few =
        torsor(folder.path, {"batch", name, "--shard", name == "heavy_tops" ? "1/5000" : "1/20"});
    CHECK(few.code == 0);
    ++count;
  }
  CHECK(count == 5);
}

}  // namespace torsor::test
