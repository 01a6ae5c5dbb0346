#include "exit_code.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "process.hpp"
#include "run/plain_text.hpp"
#include "torsor/io/results.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::cli {
namespace {

int complain(ExitCode code, const char* what) {
  print_error(fmt::format("torsor: error: {}\n", plain_text(what)));
  return code;
}

}  // namespace

int exit_code(StepStatus status, int signal) {
  switch (status) {
    case StepStatus::reached_end:
    case StepStatus::event:
      return success;
    case StepStatus::cancelled:
      return signal != 0 ? 128 + signal : static_cast<int>(limit_exceeded);
    case StepStatus::step_limit:
      return limit_exceeded;
    default:
      return run_failed;
  }
}

int report_exception() try { throw; } catch (const scene::SceneError& error) {
  for (const scene::Diagnostic& diagnostic : error.diagnostics)
    print_error(fmt::format("{}\n", diagnostic.text()));
  return error.limit_exceeded ? limit_exceeded : invalid_scene;
} catch (const io::IoError& error) {
  return complain(error.locked ? folder_locked : io_failed, error.what());
} catch (const std::invalid_argument& error) {
  return complain(invalid_scene, error.what());
} catch (const std::bad_alloc&) {
  return complain(limit_exceeded, "out of memory");
} catch (const std::filesystem::filesystem_error& error) {
  return complain(io_failed, error.what());
} catch (const std::system_error& error) {  // a thread cannot start
  return complain(limit_exceeded, error.what());
} catch (const std::exception& error) {
  return complain(internal_error, error.what());
}

}  // namespace torsor::cli
