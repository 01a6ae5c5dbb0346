#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "command.hpp"
#include "help_formatter.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

/// The completions that the command gives a shell for the last word.
std::vector<std::string> candidates(const std::filesystem::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "complete");
  const Outcome outcome = torsor(folder, words);
  CHECK(outcome.code == 0);
  std::vector<std::string> all;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) all.push_back(line.substr(0, line.find('\t')));
  return all;
}

using Words = std::vector<std::string>;

TEST_CASE("help explains all commands or one command, and suggests a command for a misspelt one") {
  const WorkFolder folder;
  const std::string help = torsor(folder.path, {"help"}).out;
  CHECK(help == torsor(folder.path, {"--help"}).out);
  CHECK(contains(help, "torsor [OPTIONS] COMMAND\n"));
  CHECK(contains(help, "\nCommands:\n"));
  for (const std::string& verb : candidates(folder.path, {""})) {
    CAPTURE(verb);
    const Outcome one = torsor(folder.path, {"help", verb});
    CHECK(one.code == 0);
    CHECK(one.out == torsor(folder.path, {verb, "--help"}).out);
    CHECK(torsor(folder.path, {verb, "-V"}).out.starts_with("torsor 0."));
  }
  CHECK(torsor(folder.path, {"-V"}).out == torsor(folder.path, {"--version"}).out);
  const Outcome wrong = torsor(folder.path, {"help", "rnu"});
  CHECK(wrong.code == 2);
  CHECK(contains(wrong.err, "unknown command \"rnu\"; did you mean \"run\"?"));
}

TEST_CASE("a text in lines keeps its words, and each line is full") {
  const std::string text = "one two three four5 sixsixsix 7 8 9 10 ten eleven";
  for (std::size_t width = 1; width < 60; ++width) {
    CAPTURE(width);
    const std::string lines = cli::in_lines(text, width);
    std::string joined = lines;
    std::replace(joined.begin(), joined.end(), '\n', ' ');
    CHECK(joined == text);
    std::istringstream all(lines);
    std::string line, next;
    for (std::getline(all, line); std::getline(all, next); line = next) {
      CHECK((line.size() <= width || line.find(' ') == std::string::npos));
      CHECK(line.size() + 1 + next.substr(0, next.find(' ')).size() > width);
    }
    CHECK((line.size() <= width || line.find(' ') == std::string::npos));
  }
  CHECK(cli::in_lines("", 10).empty());
}

TEST_CASE("the lines of help have at most 80 characters where the width of the terminal is unknown") {
  const WorkFolder folder;
  for (const std::string& verb : candidates(folder.path, {""})) {
    std::istringstream help(torsor(folder.path, {verb, "--help"}).out);
    for (std::string line; std::getline(help, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("scenes lists every scene and every study with its title") {
  const WorkFolder folder;
  const Outcome scenes = torsor(folder.path, {"scenes"});
  CHECK(scenes.code == 0);
  const auto lists = [&](const std::filesystem::path& from) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(from)) {
      if (entry.path().extension() != ".toml") continue;
      CAPTURE(entry.path().string());
      const std::string text = read_text(entry.path()), key = "\ntitle = \"";
      const std::size_t begin = text.find(key) + key.size();
      const std::size_t at = ("\n" + scenes.out).find("\n" + entry.path().stem().string() + " ");
      REQUIRE(at != std::string::npos);
      const std::string line = scenes.out.substr(at, scenes.out.find('\n', at) - at);
      CHECK(line.ends_with("  " + text.substr(begin, text.find('"', begin) - begin)));
      ++count;
    }
    return count;
  };
  CHECK(lists(TORSOR_SCENES) > 50);
  CHECK(lists(TORSOR_SCENES "/studies") > 0);
}

TEST_CASE("scenes says that there are none if the command is not beside its scenes") {
  const WorkFolder folder;
  std::filesystem::copy_file(TORSOR_COMMAND, folder.path / "torsor");
  const auto without = [] { ::unsetenv("TORSOR_SCENES"); };
  const Outcome none = Command(folder.path, {"scenes"}, without, "./torsor").wait();
  CHECK(none.code == 0);
  CHECK(none.out.empty());
  CHECK(none.err.starts_with("note: no scenes are installed with this command"));
}

TEST_CASE("scenes escapes terminal control characters of names, titles and messages") {
  const WorkFolder folder;
  folder.write("a\033[1mb.toml", "title = \"\\u001b[31mred\"\n");
  folder.write("c.toml", "\"\\u001b[32m\" = 1\n\"\\u001b[32m\" = 1\n");
  std::filesystem::create_directory(folder.path / "studies");
  folder.write("studies/d\033e.toml", "title = \"\\u009b33m\"\n");
  const std::string out =
      torsor("/", {"scenes"}, [&] { ::setenv("TORSOR_SCENES", folder.path.c_str(), 1); }).out;
  CHECK(contains(out, "a\\u001B[1mb"));
  CHECK(contains(out, "  \\u001B[31mred\n"));
  CHECK(contains(out, "  (cannot be read: "));
  CHECK(contains(out, "d\\u001Be"));
  CHECK(contains(out, "  \\u009B33m\n"));
  CHECK_FALSE(contains(out, "\033"));
  CHECK_FALSE(contains(out, "\xC2\x9B"));
}

TEST_CASE("a scene name that is cut short or lacks separators gives a suggestion") {
  const WorkFolder folder;
  const auto says = [&](const char* name) { return torsor(folder.path, {"run", name}).err; };
  CHECK(says("heavytop") == "heavytop: error: no such file or scene; did you mean \"heavy_top_bruls\"?\n");
  CHECK(says("Heavy-Top") == "Heavy-Top: error: no such file or scene; did you mean \"heavy_top_bruls\"?\n");
  CHECK(says("xylophone") == "xylophone: error: no such file or scene; `torsor scenes` lists the names\n");
}

TEST_CASE("a folder with the name of a scene or study hides neither") {
  const WorkFolder folder;
  for (const char* name : {"heavy_top_bruls", "heavy_tops", "mine", "study.toml"})
    std::filesystem::create_directory(folder.path / name);
  CHECK(torsor(folder.path, {"check", "heavy_top_bruls"}).code == 0);
  CHECK(torsor(folder.path, {"batch", "heavy_tops", "--plan"}).code == 0);
  folder.write("own.toml", "scene = \"heavy_top_bruls\"\n");
  CHECK(torsor(folder.path, {"batch", "own.toml", "--plan"}).code == 0);
  CHECK(torsor(folder.path, {"check", "mine"}).err == "mine: error: is a directory, not a scene\n");
  CHECK(torsor(folder.path, {"check", "heavy_top_bruls/"}).err ==
        "heavy_top_bruls/: error: is a directory, not a scene\n");
  CHECK(torsor(folder.path, {"batch", "study.toml", "--plan"}).err ==
        "study.toml: error: is a directory, not a study\n");
}

TEST_CASE("shell completion offers commands, scenes, options and values where they are valid") {
  const WorkFolder folder;
  folder.write("mine.toml", "");
  CHECK(candidates(folder.path, {"ge"}) == Words{"geometry"});
  CHECK(candidates(folder.path, {"run", "heavy_top_b"}) == Words{"heavy_top_bruls"});
  CHECK(candidates(folder.path, {"run", "mi"}) == Words{"mine.toml"});
  CHECK(candidates(folder.path, {"batch", "heavy"}) == Words{"heavy_tops"});
  CHECK(candidates(folder.path, {"run", "x", "--form"}) == Words{"--format"});
  CHECK(candidates(folder.path, {"run", "x", "--format", ""}) == Words{"h5", "csv"});
  CHECK(candidates(folder.path, {"batch", "x", "--progress", "j"}) == Words{"json"});
  CHECK(candidates(folder.path, {"compare", "x", "--methods", "cg3,rkmk-f"}) == Words{"cg3,rkmk-fehlberg78"});
  CHECK(candidates(folder.path, {"help", "sche"}) == Words{"schema"});
  CHECK(candidates(folder.path, {"run", "x", "-o", ""}).empty());  // the shell completes file names
  CHECK(candidates(folder.path, {"nothing", ""}).empty());
}

TEST_CASE("the man page lists every command and every option") {
  const WorkFolder folder;
  const Outcome page = torsor(folder.path, {"help", "--man"});
  CHECK(page.code == 0);
  CHECK(page.out.starts_with(".TH TORSOR 1 "));
  for (const std::string& verb : candidates(folder.path, {""})) {
    CAPTURE(verb);
    const std::size_t at = page.out.find(".SS \"torsor " + verb + "\"");
    REQUIRE(at != std::string::npos);
    const std::string section = page.out.substr(at, page.out.find("\n.S", at + 1) - at);
    for (std::string option : candidates(folder.path, {verb, "--"})) {
      if (option == "--help" || option == "--version") continue;  // options of every command, described once
      CAPTURE(option);
      for (std::size_t dash = 0; (dash = option.find('-', dash)) != std::string::npos; dash += 2)
        option.insert(dash, 1, '\\');
      CHECK(contains(section, option));
    }
  }
}

TEST_CASE("status, merge and table report in one sentence that a folder holds no batch") {
  const WorkFolder folder;
  for (const char* name : {"empty", "begun"}) std::filesystem::create_directory(folder.path / name);
  folder.write("begun/ledger.sqlite", "");
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message,
                           int code = 3) {
    const Outcome outcome = torsor(folder.path, arguments);
    CHECK(outcome.code == code);
    CHECK(outcome.out.empty());
    CHECK(outcome.err == "torsor: error: " + message + "\n");
  };
  for (const char* verb : {"status", "table", "merge"}) {
    CAPTURE(verb);
    std::vector<std::string> arguments = {verb, "empty"};
    if (std::string(verb) == "merge") arguments.insert(arguments.end(), {"-o", "whole"});
    refused(arguments, "empty holds no batch: it has no ledger.sqlite");
    arguments[1] = "begun";
    refused(arguments, "begun holds no batch: its ledger.sqlite is empty", 4);
    arguments[1] = "nowhere";
    refused(arguments, "no such folder: nowhere");
  }
  CHECK_FALSE(folder.has("whole"));
}

}  // namespace
}  // namespace torsor::test
