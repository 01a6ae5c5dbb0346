#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "child_process.hpp"
#include "io/results/digest.hpp"
#include "io/results/hdf5_content.hpp"
#include "io/results/read_parts.hpp"
#include "io/segment.hpp"
#include "sample_result.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

struct Stored {
  TemporaryFolder folder;
  fs::path path = folder.path / "sample.h5";
  std::string bytes;
  Stored() {
    io::write_hdf5(path, sample_scene(), sample_trajectory(40));
    bytes = content(path);
  }
};

/// The bytes with a digest that matches, as another program could write it.
std::string sealed(std::string bytes) {
  constexpr const char* kind = "torsor/result/1";
  bytes.resize(bytes.size() - io::digest_mark(kind).size() - 34);
  const std::string hash = io::content_hash(bytes);
  return bytes.append("\n").append(io::digest_mark(kind)).append(hash).append("\n");
}

TEST_CASE("any altered byte, any two altered bytes and any truncation are detected") {
  const Stored stored;
  const std::size_t size = stored.bytes.size();
  unsigned random = 1;
  const auto next = [&random] { return random = random * 1664525 + 1013904223; };
  for (std::size_t at = 0; at < size; at += at < 8 ? 1 : 61) {
    std::string bytes = stored.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    const bool two = at % 2 == 1;
    if (two) bytes[(next() >> 4) % size] ^= 0x10;
    put(stored.path, bytes);
    CAPTURE(at);
    CHECK_FALSE(refusal(stored.path).empty());
  }
  for (std::size_t cut = 1; cut < size; cut += 997) {
    put(stored.path, stored.bytes.substr(0, size - cut));
    CHECK_FALSE(refusal(stored.path).empty());
  }
  put(stored.path, stored.bytes + "\n");
  CHECK_FALSE(refusal(stored.path).empty());
}

TEST_CASE("the message for a missing digest differs from that for a wrong digest") {
  const Stored stored;
  std::string bytes = stored.bytes;
  bytes[bytes.size() / 2] ^= 1;
  put(stored.path, bytes);
  CHECK(refusal(stored.path) == stored.path.string() + " is damaged: its contents do not match its digest");
  put(stored.path, stored.bytes.substr(0, stored.bytes.size() - 60));
  CHECK(refusal(stored.path) == stored.path.string() +
                                    " ends without the digest of Torsor: it is damaged, or another program "
                                    "or an older version wrote it");
  const fs::path segment = stored.folder.path / "segment.h5";
  io::TrajectorySegment(segment, {{"t", "s"}}).commit();
  CHECK(refusal(segment) == segment.string() + " has the format torsor/segment/1, not torsor/result/1");
}

TEST_CASE("a damaged file with a matching digest gives a message, whatever HDF5 does with it") {
  const Stored stored;
  std::size_t refused = 0, count = 0;
  for (std::size_t at = 8; at + 60 < stored.bytes.size(); at += 509, ++count) {
    std::string bytes = stored.bytes;
    for (std::size_t i = at; i < at + 4; ++i) bytes[i] = static_cast<char>(~bytes[i]);
    put(stored.path, sealed(bytes));
    refused += !refusal(stored.path).empty();
  }
  CHECK(refused > count / 2);  // some names and attributes cannot be checked
}

TEST_CASE("HDF5 detects altered numbers by checksums that do not need the digest") {
  const Stored stored;
  const double marked = 0.1 * 17;  // a time
  const std::string pattern(reinterpret_cast<const char*>(&marked), sizeof marked);
  std::string bytes = stored.bytes;
  const std::size_t at = bytes.find(pattern);
  REQUIRE(at != std::string::npos);
  bytes[at + 3] ^= 1;
  put(stored.path, sealed(bytes));
  CHECK(refusal(stored.path) == stored.path.string() + " is damaged at /time");
}

TEST_CASE("a file that is not regular is refused at once") {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path / "pipe.h5";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal(pipe) == pipe.string() + " is not a regular file");
  CHECK(refusal("/dev/zero") == "/dev/zero is not a regular file");
}

TEST_CASE("a file is read while another thread writes one") {
  const Stored stored;
  const std::string no_text = refusal(stored.path);
  CHECK(no_text.find("holds a scene whose text cannot be read") != std::string::npos);
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    while (!ended) io::write_hdf5(stored.folder.path / "other.h5", sample_scene(), sample_trajectory(40));
  });
  ::alarm(60);  // a child process that waits for ever would end the test here
  for (int i = 0; i < 100; ++i) CHECK(refusal(stored.path) == no_text);
  ::alarm(0);
  ended = true;
  writer.join();
}

TEST_CASE("a child process passes on its bytes and reports how it ended") {
  const auto end_of = [](const std::function<void()>& work, unsigned limit_s) {
    io::ChildProcess child(
        [&work](const io::ByteSink& out) {
          out("abc", 3);
          work();
        },
        limit_s);
    char bytes[4] = {};
    CHECK(child.read(bytes, 3));
    CHECK(std::string(bytes) == "abc");
    CHECK_FALSE(child.read(bytes, 1));
    return child.end();
  };
  CHECK(end_of([] {}, 60) == "the child process ended too early");
  CHECK(end_of([] { throw std::runtime_error("no"); }, 60) == "the child process ended too early");
  CHECK(end_of([] { ::raise(SIGSEGV); }, 60) == "signal 11 ended the child process");
  CHECK(end_of(
            [] {
              for (std::atomic<int> i = 0;; ++i) {
              }
            },
            1) == "the child process took more than 1 s of computing time");
}

TEST_CASE("a child process ends when its reader is destroyed") {
  const io::ChildProcess child(
      [](const io::ByteSink& out) {
        for (;;) out("x", 1);
      },
      60);
}

TEST_CASE("a child process ends with its parent, also if it gets no signal when the parent ends") {
  int alive[2];  // the child inherits one end and holds it until it ends
  REQUIRE(::pipe(alive) == 0);
  const ::pid_t parent = ::fork();
  REQUIRE(parent >= 0);
  if (parent == 0) {
    const std::string more_than_a_pipe_holds(1 << 20, 'x');
    const io::ChildProcess child(
        [&](const io::ByteSink& out) {
          ::prctl(PR_SET_PDEATHSIG, 0);
          ::kill(::getppid(), SIGKILL);
          out(more_than_a_pipe_holds.data(), more_than_a_pipe_holds.size());
        },
        60);
    for (;;) ::pause();
  }
  ::close(alive[1]);
  ::waitpid(parent, nullptr, 0);
  pollfd ended{alive[0], POLLIN, 0};
  CHECK(::poll(&ended, 1, 10000) == 1);
  ::close(alive[0]);
}

TEST_CASE("data from the reading process is checked before it is used") {
  const auto receive = [](const std::string& bytes) {
    std::size_t at = 0;
    const io::ByteSource in = [&](void* to, std::size_t count) {
      if (count > bytes.size() - at) throw io::ResultError("ended");
      std::copy_n(bytes.data() + at, count, static_cast<char*>(to));
      at += count;
    };
    return io::receive_content(in, 1 << 20);
  };
  std::string sound;
  const Stored stored;
  const int file = ::open(stored.path.c_str(), O_RDONLY);
  io::send_content(file, [&](const void* bytes, std::size_t count) {
    sound.append(static_cast<const char*>(bytes), count);
  });
  ::close(file);
  CHECK(receive(sound).sets.at("/bodies/position").shape == std::vector<std::uint64_t>{40, 2, 3});
  unsigned random = 7;
  for (std::size_t at = 0; at < sound.size(); at += 37) {
    std::string bytes = sound;
    random = random * 1664525 + 1013904223;
    bytes[at] = static_cast<char>(random >> 24);
    try {
      result_of(receive(bytes), "some.h5");
    } catch (const io::ResultError&) {
    }
  }
  CHECK_THROWS_AS(receive(sound.substr(0, sound.size() - 1)), io::ResultError);
}

}  // namespace
}  // namespace torsor::test
