#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/sanitized.hpp"

namespace torsor::test {

/// An empty folder that the destructor removes.
class WorkFolder {
 public:
  WorkFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "torsor run XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = name;
  }
  ~WorkFolder() {
    std::error_code failure;
    std::filesystem::remove_all(path, failure);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  bool empty() const { return std::filesystem::is_empty(path); }
  bool has(const char* name) const { return std::filesystem::exists(path / name); }
  std::filesystem::path write(const char* name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
  std::filesystem::path path;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  int code = -1;  ///< exit code, or 128 + the signal that ended the process
  std::string out, err;
};

/// A run of the built command or of another program in a given folder; standard output and standard error
/// go to files outside this folder.
class Command {
 public:
  /// `prepare` runs in the child before the command: limits, descriptors, environment.
  Command(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
          const std::function<void()>& prepare = {}, const char* program = TORSOR_COMMAND) {
    std::vector<char*> argv{const_cast<char*>(program)};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    child_ = ::fork();
    if (child_ != 0) return;
    redirect(out_path(), STDOUT_FILENO);
    redirect(err_path(), STDERR_FILENO);
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    ::signal(SIGHUP, SIG_DFL);  // under nohup the tests ignore it, and the command would too
    if (prepare) prepare();
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }

  void signal(int which) const { ::kill(child_, which); }

  /// Waits until the command handles the signal, or has ended.
  void wait_for_handler(int which) const {
    const std::filesystem::path process = "/proc/" + std::to_string(child_);
    const auto handled = [&] {
      const std::string status = read_text(process / "status");
      const auto caught = status.find("SigCgt:\t");  // a hexadecimal mask
      return caught != std::string::npos &&
             (std::stoull(status.substr(caught + 8), nullptr, 16) >> (which - 1) & 1) != 0;
    };
    const auto ended = [&] {
      ::siginfo_t info{};
      ::waitid(P_PID, static_cast<::id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT);
      return info.si_pid != 0;
    };
    std::error_code missing;
    // Before it becomes the command, the process has the handlers of the tests.
    while (!ended() && !(std::filesystem::equivalent(process / "exe", TORSOR_COMMAND, missing) && handled()))
      ::usleep(1000);
  }

  ::pid_t id() const { return child_; }
  std::string out_so_far() const { return read_text(out_path()); }

  Outcome wait() const {
    int status = 0;
    ::waitpid(child_, &status, 0);
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return {code, read_text(out_path()), read_text(err_path())};
  }

 private:
  static void redirect(const std::filesystem::path& path, int descriptor) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, descriptor);
    ::close(file);
  }
  std::filesystem::path out_path() const { return streams_.path / "out"; }
  std::filesystem::path err_path() const { return streams_.path / "err"; }

  WorkFolder streams_;
  pid_t child_ = -1;
};

inline Outcome torsor(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                      const std::function<void()>& prepare = {}) {
  return Command(folder, arguments, prepare).wait();
}

/// Limits the address space of this process. With a sanitizer, nothing is limited: its shadow memory alone
/// takes terabytes of addresses.
inline void limit_addresses([[maybe_unused]] rlim_t bytes) {
#ifndef TORSOR_SANITIZED
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

/// Runs a shell script in `folder` with $0 set to the command and the folder `disk` mounted as a separate
/// file system of `size`. Where the system does not allow a mount, prints a message and returns nothing.
inline std::optional<Outcome> torsor_on_disk(const std::filesystem::path& folder, const std::string& disk,
                                             const std::string& size, const std::string& script) {
  std::filesystem::create_directory(folder / disk);
  const std::string all =
      "mount -t tmpfs -o size=" + size + " tmpfs " + disk + " || exit\ntouch mounted\n" + script;
  const Outcome outcome =
      Command(folder, {::geteuid() == 0 ? "-m" : "-rm", "sh", "-c", all, TORSOR_COMMAND}, {}, "unshare")
          .wait();
  if (std::filesystem::exists(folder / "mounted")) return outcome;
  MESSAGE("skipped: no file system can be mounted here");
  return std::nullopt;
}

}  // namespace torsor::test
