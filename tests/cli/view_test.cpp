#include <doctest/doctest.h>
#include <sys/resource.h>

#include "command.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

/// Writes a short result of the heavy top to top/.
void run_top(const WorkFolder& folder) {
  REQUIRE(torsor(folder.path,
                 {"run", "heavy_top_bruls", "--quiet", "-o", "top", "--format", "h5", "--set", "run.end=0.1"})
              .code == 0);
}

TEST_CASE("view, plot and report write their file beside the result or to the given path") {
  const WorkFolder folder;
  run_top(folder);
  struct Case {
    const char *verb, *name, *columns;
  };
  for (const auto& [verb, name, columns] :
       {Case{"view", "replay.html", ""}, Case{"plot", "plot.svg", "body.top.x,drift"},
        Case{"report", "report.html", ""}}) {
    CAPTURE(verb);
    std::vector<std::string> arguments = {verb, "top"};
    if (*columns) arguments.insert(arguments.end(), {"--columns", columns});
    const Outcome beside = torsor(folder.path, arguments);
    CHECK(beside.code == 0);
    CHECK(beside.err.empty());
    CHECK(contains(beside.out, std::string("top/") + name));
    CHECK(folder.has((std::string("top/") + name).c_str()));
    arguments[1] = "top/heavy_top_bruls.h5";
    const std::string here = std::string("here_") + verb;
    arguments.insert(arguments.end(), {"-o", here});
    CHECK(torsor(folder.path, arguments).code == 0);
    CHECK(read_text(folder.path / here) == read_text(folder.path / "top" / name));
  }
  CHECK(contains(read_text(folder.path / "top/plot.svg"), "<svg xmlns="));
  CHECK(contains(read_text(folder.path / "top/report.html"), "Heavy top of Bruls and Cardona"));
}

TEST_CASE("files that are not results, and missing columns, are refused in one line") {
  const WorkFolder folder;
  run_top(folder);
  folder.write("text.h5", "no result");
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const std::string& message) {
    CAPTURE(message);
    const Outcome outcome = torsor(folder.path, arguments);
    CHECK(outcome.code == code);
    CHECK(outcome.err == "torsor: error: " + message + "\n");
    CHECK(outcome.out.empty());
  };
  for (const char* verb : {"view", "report"}) {
    refused({verb, "text.h5"}, 3, "text.h5 is not an HDF5 file");
    refused({verb, "nothing"}, 3, "no such file or folder: nothing");
    const Outcome nowhere = torsor(folder.path, {verb, "top", "-o", "no/such/page"});
    CHECK(nowhere.code == 4);
    CHECK(contains(nowhere.err, "no/such/page"));
    CHECK(contains(nowhere.err, "No such file or directory"));
  }
  refused({"view", "top", "--columns", "body.tip.x"}, 3,
          "no column \"body.tip.x\"; did you mean \"body.top.x\"?");
  refused({"plot", "top", "--columns", "enrgy"}, 3, "no column \"enrgy\"; did you mean \"energy\"?");
  const Outcome without = torsor(folder.path, {"plot", "top"});
  CHECK(without.code == 2);
  CHECK(contains(without.err, "--columns is required"));
}

/// Width and height of a PNG, from its header.
std::pair<int, int> png_size(const std::string& bytes) {
  REQUIRE(bytes.starts_with("\x89PNG\r\n\x1a\n"));
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = 256 * value + static_cast<unsigned char>(bytes.at(at + i));
    return value;
  };
  return {number(16), number(20)};
}

TEST_CASE("the file extension selects the format of a plot: SVG, PNG, PDF, or an error") {
  const WorkFolder folder;
  run_top(folder);
  const auto plot = [&](const char* file, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"plot", "top", "--columns", "body.top.x", "-o", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return torsor(folder.path, arguments);
  };
  CHECK(plot("x.svg", {"--size", "400x200"}).code == 0);
  CHECK(contains(read_text(folder.path / "x.svg"), "width=\"400\""));
  const Outcome wrong = plot("x.jpg");
  CHECK(wrong.code == 4);
  CHECK(wrong.err == "torsor: error: x.jpg: pictures are .svg, .png or .pdf\n");
  CHECK_FALSE(folder.has("x.jpg"));
#ifdef TORSOR_PICTURES
  CHECK(plot("x.png", {"--size", "400x200"}).code == 0);
  const auto [width, height] = png_size(read_text(folder.path / "x.png"));
  CHECK(width == 800);
  CHECK(height > 400);
  for (const char* file : {"x.pdf", "y.pdf"}) CHECK(plot(file).code == 0);
  const std::string pdf = read_text(folder.path / "x.pdf");
  CHECK(pdf.starts_with("%PDF-1."));
  CHECK(pdf == read_text(folder.path / "y.pdf"));
#else
  const Outcome without = plot("x.png");
  CHECK(without.code == 4);
  CHECK(contains(without.err, "PNG and PDF need librsvg"));
  CHECK_FALSE(folder.has("x.png"));
#endif
}

TEST_CASE("a plot overwrites a plot; another picture is overwritten only with --force") {
  const WorkFolder folder;
  run_top(folder);
  const auto plot = [&](const std::string& file, bool force) {
    std::vector<std::string> arguments = {"plot", "top", "--columns", "body.top.x", "-o", file};
    if (force) arguments.push_back("--force");
    return torsor(folder.path, arguments);
  };
  const std::pair<const char*, std::string> others[] = {
      {"x.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"},
#ifdef TORSOR_PICTURES
      {"x.png", "\x89PNG\r\n\x1a\n" + std::string(100, ' ')},
      {"x.pdf", "%PDF-1.5\n%%EOF\n"}
#endif
  };
  for (const auto& [file, bytes] : others) {
    CAPTURE(file);
    folder.write(file, bytes);
    const Outcome refused = plot(file, false);
    CHECK(refused.code == 4);
    CHECK(refused.err == std::string("torsor: error: cannot write ") + file +
                             ": a file of another kind has this name; --force replaces it\n");
    CHECK(read_text(folder.path / file) == bytes);
    CHECK(plot(file, true).code == 0);
    const std::string own = read_text(folder.path / file);
    CHECK(plot(file, false).code == 0);
    CHECK(read_text(folder.path / file) == own);
  }
}

TEST_CASE("the gallery keeps files that it did not write, and reports them before it compares anything") {
  for (const char* file : {"bricard.svg", "curved_sleigh.csv", "README.md"}) {
    CAPTURE(file);
    const WorkFolder folder;
    folder.write(file, "<svg/>");
    const Outcome refused = torsor(folder.path, {"compare", "--gallery", "-o", "."});
    CHECK(refused.code == 4);
    CHECK(contains(refused.err, std::string("cannot write ./") + file + ": a file of another kind"));
    CHECK(refused.out.empty());
    CHECK(read_text(folder.path / file) == "<svg/>");
  }
}

TEST_CASE("a plot takes a title, a size, a time window and a logarithmic axis as options") {
  const WorkFolder folder;
  run_top(folder);
  const auto plot = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"plot", "top", "--columns", "body.top.*,drift", "-o", "x.svg"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = torsor(folder.path, arguments);
    return outcome.code == 0 ? read_text(folder.path / "x.svg") : outcome.err;
  };
  CHECK(contains(plot({"--title", "A <top>"}), ">A &lt;top&gt;</text>"));
  CHECK(contains(plot({}), ">position (m)</text>"));
  const std::string logarithmic = plot({"--log"});
  CHECK(contains(logarithmic, ">|velocity| (m/s)</text>"));
  CHECK(contains(logarithmic, ">|drift| (J)</text>"));
  CHECK_FALSE(contains(logarithmic, "·1<"));
  const std::string path = plot({"--over", "body.top.x", "--to", "0.04"});
  CHECK(contains(path, ">body.top.x (m)</text>"));
  CHECK_FALSE(contains(path, ">t (s)</text>"));
  CHECK(contains(plot({"--over", "body.*.x"}),
                 "the * of \"body.*.x\" stands for no part of the column \"drift\""));
  CHECK(torsor(folder.path, {"plot", "top", "--columns", "body.*.y", "--over", "body.*.x", "-o", "path.svg"})
            .code == 0);
  CHECK(contains(read_text(folder.path / "path.svg"), ">x (m)</text>"));
  CHECK(contains(plot({"--over", "body.tip.x"}), "no column \"body.tip.x\"; did you mean \"body.top.x\"?"));
  CHECK(
      contains(plot({"--over", "body.top.x", "--log-over"}), "--log-over: top is not the folder of a batch"));
  const std::string window = plot({"--from", "0.02", "--to", "0.04"});
  CHECK(contains(window, ">0.0300</text>"));
  CHECK_FALSE(contains(window, ">0.06</text>"));
  CHECK(plot({"--from", "3"}) ==
        "torsor: error: no sample from 3 s to 0.1 s: the result goes from 0 s to 0.1 s\n");
  for (const char* size : {"400", "400x", "100x100", "400x200x", "1e9x1e9", "4294967936x400"})
    CHECK(contains(plot({"--size", size}), "expected WxH from 320x200 to 8000x8000"));
}

TEST_CASE("a page that exceeds the limit on the size of files leaves no partial file") {
  const WorkFolder folder;
  run_top(folder);
  const Outcome outcome = torsor(folder.path, {"view", "top", "-o", "page.html"}, [] {
    const rlimit limit{20'000, 20'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  CHECK(outcome.code == 4);
  CHECK(contains(outcome.err, "File too large"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path))
    CHECK(entry.path().filename() == "top");
}

TEST_CASE("a scene in coordinates can be plotted") {
  const WorkFolder folder;
  REQUIRE(torsor(folder.path, {"run", "moving_pendulum_chart", "--quiet", "-o", "out"}).code == 0);
  CHECK(torsor(folder.path, {"view", "out"}).code == 0);
  CHECK(torsor(folder.path, {"report", "out"}).code == 0);
  CHECK(torsor(folder.path, {"plot", "out", "--columns", "coordinate.*"}).code == 0);
}

}  // namespace
}  // namespace torsor::test
