#pragma once

#include "torsor/integrators/status.hpp"

namespace torsor::cli {

/// What the command says to its caller (docs/results.md). A signal n ends it with 128 + n.
enum ExitCode : int {
  success = 0,
  run_failed = 1,      ///< the numbers failed: the status says how
  usage = 2,           ///< the command line is wrong
  invalid_scene = 3,   ///< the scene, or a method that cannot take it
  io_failed = 4,       ///< a file or the output could not be written
  folder_locked = 5,   ///< another run is writing to the result folder
  limit_exceeded = 6,  ///< input too large, greatest number of steps or computing time, out of memory
  internal_error = 70,
};

/// Code for how a run ended; `signal` is the one that asked to stop, 0 where none did.
int exit_code(StepStatus status, int signal);

/// Prints what the exception in flight says on standard error and gives its code. Call it from a catch block.
int report_exception();

}  // namespace torsor::cli
