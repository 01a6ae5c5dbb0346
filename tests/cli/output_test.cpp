#include <doctest/doctest.h>
#include <sys/stat.h>

#include "command.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

const std::vector<std::string> short_top = {"run", "heavy_top_bruls", "--quiet",     "-o",
                                            "top", "--set",           "run.end=0.05"};

Outcome with(const WorkFolder& folder, std::vector<std::string> arguments, std::vector<std::string> more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return torsor(folder.path, arguments);
}

TEST_CASE("no command overwrites its input, nor a file of another kind without --force") {
  const WorkFolder folder;
  REQUIRE(torsor(folder.path, short_top).code == 0);
  const std::string result = read_text(folder.path / "top/heavy_top_bruls.h5");
  const std::string samples = read_text(folder.path / "top/heavy_top_bruls.csv");
  folder.write("scene.toml", "# my scene\n");
  folder.write("page.html", "<html>my page</html>\n");
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"report", "top"}, {"view", "top"}, {"plot", "top", "--columns", "energy"}}) {
    CAPTURE(verb.front());
    for (const bool force : {false, true}) {
      const std::vector<std::string> end =
          force ? std::vector<std::string>{"--force"} : std::vector<std::string>{};
      std::vector<std::string> over_input = {"-o", "top/heavy_top_bruls.h5"};
      over_input.insert(over_input.end(), end.begin(), end.end());
      const Outcome input = with(folder, verb, over_input);
      CHECK(input.code == 4);
      CHECK(contains(input.err, verb.front() == "plot"
                                    ? "pictures are .svg, .png or .pdf"
                                    : "cannot write top/heavy_top_bruls.h5: it is the input; "
                                      "name another output"));
    }
    const Outcome csv = with(folder, verb, {"-o", "top/heavy_top_bruls.csv", "--force"});
    CHECK(csv.code == 4);
    CHECK(contains(csv.err, verb.front() == "plot" ? "pictures are .svg, .png or .pdf"
                                                   : "cannot write top/heavy_top_bruls.csv: it is the input; "
                                                     "name another output"));
    const Outcome other = with(folder, verb, {"-o", "scene.toml"});
    CHECK(other.code == 4);
    CHECK(contains(other.err, verb.front() == "plot" ? "pictures are .svg, .png or .pdf"
                                                     : "cannot write scene.toml: a file of another kind has "
                                                       "this name; --force replaces it"));
    CHECK(with(folder, verb, {"-o", "page.html"}).code == 4);
  }
  CHECK(read_text(folder.path / "top/heavy_top_bruls.h5") == result);
  CHECK(read_text(folder.path / "top/heavy_top_bruls.csv") == samples);
  CHECK(read_text(folder.path / "scene.toml") == "# my scene\n");
  CHECK(with(folder, {"report", "top"}, {"-o", "page.html", "--force"}).code == 0);
  CHECK(with(folder, {"report", "top"}, {"-o", "page.html"}).code == 0);
  CHECK(with(folder, {"view", "top"}, {"-o", "page.html"}).code == 4);
}

TEST_CASE("a run replaces the files of an earlier run only; other files are reported before it begins") {
  const WorkFolder folder;
  std::filesystem::create_directory(folder.path / "top");
  folder.write("top/heavy_top_bruls.csv", "t,x\n0,1\n");
  folder.write("top/heavy_top_bruls.h5.partial.77", "mine");
  const Outcome refused = with(folder, short_top, {});
  CHECK(refused.code == 4);
  CHECK(contains(refused.err, "cannot write top/heavy_top_bruls.csv: a file of another kind has this name"));
  CHECK_FALSE(folder.has("top/heavy_top_bruls.h5"));
  CHECK(with(folder, short_top, {"--force"}).code == 0);
  CHECK(torsor(folder.path, short_top).code == 0);
  CHECK(read_text(folder.path / "top/heavy_top_bruls.h5.partial.77") == "mine");
}

TEST_CASE("no run, batch, comparison or table of curves replaces a table or a scene that it reads") {
  const WorkFolder folder;
  const std::string body =
      "[run]\nend = 0.1\noutput = 0.05\n[[body]]\nname = \"b\"\nmass = 1\n"
      "inertia = [1, 1, 1]\n";
  folder.write("b.toml", body);
  REQUIRE(torsor(folder.path, {"run", "b.toml", "-o", ".", "--format", "csv"}).code == 0);
  const std::string table = read_text(folder.path / "b.csv");
  folder.write("b.toml", body + "[[state]]\nname = \"z\"\nrate = 'table(\"b.csv\", \"energy\", t)'\n");
  for (const char* force : {"--quiet", "--force"}) {
    const Outcome refused = torsor(folder.path, {"run", "b.toml", "-o", ".", force});
    CHECK(refused.code == 4);
    CHECK(contains(refused.err, "b.csv: it is the input; name another output"));
    CHECK(read_text(folder.path / "b.csv") == table);
  }
  CHECK(torsor(folder.path, {"run", "b.toml", "-o", "other"}).code == 0);
  std::filesystem::rename(folder.path / "b.csv", folder.path / "b.h5");
  folder.write("b.toml", body + "[[state]]\nname = \"z\"\nrate = 'table(\"b.h5\", \"energy\", t)'\n");
  CHECK(contains(torsor(folder.path, {"run", "b.toml", "-o", ".", "--format", "h5", "--force"}).err,
                 "b.h5: it is the input"));
  CHECK(read_text(folder.path / "b.h5") == table);

  std::filesystem::create_directory(folder.path / "out");
  folder.write("out/table.csv", table);
  folder.write("c.toml",
               body + "[[state]]\nname = \"z\"\nrate = 'table(\"out/table.csv\", \"energy\", t)'\n");
  folder.write("study.toml", "scene = \"c.toml\"\n");
  CHECK(contains(torsor(folder.path, {"batch", "study.toml", "-o", "out", "--force"}).err,
                 "out/table.csv: it is the input"));
  CHECK(read_text(folder.path / "out/table.csv") == table);

  folder.write("compare.csv", table);
  folder.write("d.toml", body + "[[state]]\nname = \"z\"\nrate = 'table(\"compare.csv\", \"energy\", t)'\n");
  CHECK(contains(torsor(folder.path, {"compare", "d.toml", "-o", ".", "--steps", "0.01", "--force"}).err,
                 "compare.csv: it is the input"));
  CHECK(read_text(folder.path / "compare.csv") == table);

  const std::string chart = "run.end = 1\n[chart]\ncoordinates = [\"x\"]\nstart = [1]\nmetric = [[1]]\n";
  folder.write("chart.toml", chart);
  CHECK(torsor(folder.path, {"geometry", "chart.toml", "--follow", "1", "--curves", "chart.toml", "--force"})
            .code == 4);
  CHECK(read_text(folder.path / "chart.toml") == chart);
}

TEST_CASE("compare keeps files that it did not write") {
  const WorkFolder folder;
  const std::vector<std::string> compare = {"compare", "heavy_top_bruls", "--quiet", "-o",
                                            "out",     "--steps",         "0.01"};
  std::filesystem::create_directories(folder.path / "out/cases");
  folder.write("out/compare.csv", "mine");
  CHECK(torsor(folder.path, compare).code == 4);
  CHECK(read_text(folder.path / "out/compare.csv") == "mine");
  std::filesystem::remove(folder.path / "out/compare.csv");
  folder.write("out/cases/notes.txt", "mine");
  for (int i = 0; i < 2; ++i) CHECK(torsor(folder.path, compare).code == 0);
  CHECK(read_text(folder.path / "out/cases/notes.txt") == "mine");
}

TEST_CASE("a result that is a pipe is refused at once") {
  const WorkFolder folder;
  REQUIRE(::mkfifo((folder.path / "pipe.h5").c_str(), 0600) == 0);
  const Outcome outcome = torsor(folder.path, {"view", "pipe.h5"});
  CHECK(outcome.code == 3);
  CHECK(outcome.err == "torsor: error: pipe.h5 is not a regular file\n");
}

TEST_CASE("the memory of a run does not grow with the number of its outputs") {
  const WorkFolder folder;
  const auto run = [&](const char* outputs) {
    return torsor(folder.path, {"run", "heavy_top_bruls", "--quiet", "-o", "top", "--set", outputs}, [] {
      limit_addresses(150u << 20);  // the 200 001 samples would take 106 MB besides the 50 MB of the command
    });
  };
  const Outcome outcome = run("run.output=1e-5");
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(std::filesystem::file_size(folder.path / "top/heavy_top_bruls.csv") > 50'000'000);
}

TEST_CASE("outputs that exceed --disk-limit are refused before the run") {
  const WorkFolder folder;
  const Outcome limited = torsor(folder.path, {"run", "heavy_top_bruls", "-o", "top", "--set",
                                               "run.output=1e-3", "--disk-limit", "100kB"});
  CHECK(limited.code == 6);
  CHECK(contains(limited.err, "2001 outputs take about "));
  CHECK(contains(limited.err, "and --disk-limit allows 100 kB"));
  const Outcome rounded = torsor(folder.path, {"run", "heavy_top_bruls", "-o", "top", "--set",
                                               "run.output=1e-3", "--disk-limit", "999600"});
  CHECK(contains(rounded.err, "and --disk-limit allows 1 MB"));
  CHECK(folder.empty());
  CHECK(torsor(folder.path,
               {"run", "heavy_top_bruls", "--quiet", "--set", "run.output=1e-3", "--disk-limit", "20MB"})
            .code == 0);
}

TEST_CASE("a --disk-limit of 0 or less is refused") {
  const WorkFolder folder;
  for (const char* size : {"0", "0GB", "-5", "-2GB"}) {
    CAPTURE(size);
    const Outcome refused =
        torsor(folder.path, {"run", "heavy_top_bruls", "-o", "top", "--disk-limit", size});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err,
                   std::string("--disk-limit: expected a size greater than 0, got ") + size + "\n"));
  }
  CHECK(folder.empty());
}

TEST_CASE("outputs that exceed the free disk space are refused before the run") {
  const WorkFolder folder;
  const char* script =
      "for limit in '' '--disk-limit 1GB'; do\n"
      "\"$0\" run heavy_top_bruls -o disk/new/top --set run.output=1e-3 $limit; code=$?\n"
      "done; ls -A disk; exit $code";
  const auto on_disk = torsor_on_disk(folder.path, "disk", "1m", script);
  if (!on_disk) return;
  const Outcome& outcome = *on_disk;
  CHECK(outcome.code == 6);
  CHECK(outcome.out.empty());
  CHECK(contains(outcome.err, "2001 outputs take about "));
  CHECK(contains(outcome.err,
                 " in disk/new/top, and 1.05 MB are free there; a greater run.output gives fewer outputs"));
}

TEST_CASE("a run that is killed leaves only an empty folder") {
  const WorkFolder folder;
  const Command run(folder.path, {"run", "heavy_top_bruls", "--quiet", "-o", "top", "--set", "run.end=1e5",
                                  "--set", "run.output=1e-2"});
  for (int ms = 0; !folder.has("top"); ++ms) {
    REQUIRE(ms < 60'000);
    ::usleep(1000);
  }
  ::usleep(300'000);
  run.signal(SIGKILL);
  run.wait();
  CHECK(std::filesystem::is_empty(folder.path / "top"));
}

}  // namespace
}  // namespace torsor::test
