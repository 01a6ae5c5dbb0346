#pragma once

#include "torsor/lie/status.hpp"

namespace torsor::cli {

/// Exit codes of the command (docs/results.md). If signal n ends the command, the code is 128 + n.
enum ExitCode : int {
  success = 0,
  run_failed = 1,      ///< the computation failed: the status says how
  usage = 2,           ///< the command line is wrong
  invalid_scene = 3,   ///< the scene is not valid, or the method cannot integrate it
  io_failed = 4,       ///< a file could not be read or written, or must not be replaced
  folder_locked = 5,   ///< another run is writing to the result folder
  limit_exceeded = 6,  ///< size of the input, number of steps, wall time, memory, threads, disk
  internal_error = 70,
};

/// The exit code for the status of a run. `signal` is the signal that requested the stop, or 0.
int exit_code(StepStatus status, int signal);

/// Prints the message of the current exception to standard error and returns its exit code. Call this
/// function from a catch block.
int report_exception();

}  // namespace torsor::cli
