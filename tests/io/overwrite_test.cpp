#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>

#include "io/result.hpp"
#include "io/text_file.hpp"
#include "sample_result.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;

std::string refusal_to_write(const fs::path& path, const io::Overwrite& overwrite) {
  try {
    write_text(path, "new", overwrite);
    return "";
  } catch (const io::IoError& error) {
    return error.what();
  }
}

TEST_CASE(
    "a file of the same kind is replaced, a file of another kind only with --force, and an input never") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "page";
  const io::Overwrite page{"<!-- ours -->"};
  write_text(path, "head <!-- ours --> first", page);
  write_text(path, "head <!-- ours --> second", page);
  CHECK(content(path) == "head <!-- ours --> second");
  const std::string kept =
      "cannot write " + path.string() + ": a file of another kind has this name; --force replaces it";
  CHECK(refusal_to_write(path, {"<!-- other -->"}) == kept);
  CHECK(refusal_to_write(path, {}) == kept);
  const std::string input = "cannot write " + path.string() + ": it is the input; name another output";
  CHECK(refusal_to_write(path, {page.mark, true, {folder.path / "." / "page"}}) == input);
  fs::create_hard_link(path, folder.path / "link");
  CHECK(refusal_to_write(path, {page.mark, true, {folder.path / "link"}}) == input);
  CHECK(content(path) == "head <!-- ours --> second");
  CHECK(refusal_to_write(path, {"<!-- other -->", true}).empty());
  CHECK(content(path) == "new");
  std::ofstream(path).close();
  CHECK(refusal_to_write(path, {}).empty());  // an empty file is replaced
}

TEST_CASE(
    "a file that cannot be read, so that its kind is unknown, is kept, and the message has the reason") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "page";
  const io::Overwrite page{"<!-- ours -->"};
  write_text(path, "<!-- ours -->", page);
  rlimit before;
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const std::string refusal = refusal_to_write(path, page);
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(refusal == "cannot read " + path.string() + ": Too many open files");
  CHECK(content(path) == "<!-- ours -->");
}

TEST_CASE("a mark counts only near the beginning or the end of a file") {
  const TemporaryFolder folder;
  const fs::path path = folder.path / "data";
  std::ofstream(path) << std::string(100'000, 'x') << "mark" << std::string(300, 'x');
  CHECK_FALSE(refusal_to_write(path, {"mark"}).empty());
  std::ofstream(path) << std::string(100'000, 'x') << "mark" << std::string(200, 'x');
  CHECK(refusal_to_write(path, {"mark"}).empty());
}

TEST_CASE("a file that is not regular is never replaced, and a symbolic link is followed") {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path / "pipe", link = folder.path / "link", file = folder.path / "file";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal_to_write(pipe, {"", true}) == "cannot write " + pipe.string() + ": it is not a regular file");
  CHECK(refusal_to_write(folder.path, {"", true}).ends_with("it is not a regular file"));
  fs::create_symlink("file", link);
  CHECK(refusal_to_write(link, {"", true}).find("No such file or directory") != std::string::npos);
  std::ofstream(file) << "mark";
  CHECK(refusal_to_write(link, {"mark"}).empty());
  CHECK(fs::is_symlink(link));
  CHECK(content(file) == "new");
}

TEST_CASE("files of others are kept, whatever their names") {
  const TemporaryFolder folder;
  const char* names[] = {"a.h5.partial.123", "sample.h5.partial.1.1", "partial.123", ".partial.9"};
  for (const char* name : names) std::ofstream(folder.path / name) << "text";
  {
    const io::ResultFolder result(folder.path);
    write_result(result, {io::ResultFormat::h5, io::ResultFormat::csv}, sample_scene(), sample_trajectory());
  }
  for (const char* name : names) CHECK(content(folder.path / name) == "text");
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 6);
}

TEST_CASE("a result replaces results, but not a table or an HDF5 file of others") {
  const TemporaryFolder folder;
  const io::ResultFolder result(folder.path);
  const std::vector<io::ResultFormat> both = {io::ResultFormat::h5, io::ResultFormat::csv};
  const auto write = [&](const io::Overwrite& overwrite) {
    return write_result(result, both, sample_scene(), sample_trajectory(), overwrite);
  };
  const auto files = write({});
  const std::string h5 = content(files[0]), csv = content(files[1]);
  CHECK_NOTHROW(write({}));
  std::ofstream(files[1]) << "t,x\n0,1\n";
  CHECK_THROWS_AS(write({}), io::IoError);
  CHECK(content(files[1]) == "t,x\n0,1\n");
  CHECK(content(files[0]) == h5);  // refused before anything is written
  CHECK_NOTHROW(write({.force = true}));
  CHECK(content(files[1]) == csv);
  std::ofstream(files[0], std::ios::binary) << h5.substr(0, h5.size() / 2);
  CHECK_THROWS_AS(write({}), io::IoError);
}

}  // namespace
}  // namespace torsor::test
