#pragma once

#include <string>
#include <utility>
#include <vector>

namespace torsor::io {

/// The origin of a result besides its scene: the program, how it was compiled, and the machine. If these
/// agree, the same scene gives the same bits.
struct Provenance {
  std::string version;  ///< "0.1.0"
  std::string git;  ///< commit of the sources, "+changes" where they differ from it; "unknown" without git
  std::string compiler;         ///< "GNU 12.2.0"
  std::string build_type;       ///< "Release"
  std::string flags;            ///< as given to the compiler
  std::string instruction_set;  ///< of the compiled code: "x86-64", "x86-64-v3", ...
  std::string cpu;              ///< of the machine on which the program runs
  std::string libm;             ///< of the running program: "glibc 2.36"
  std::string mxcsr;            ///< floating-point control word, hexadecimal: rounding, flush-to-zero

  /// Every entry as (name, value), in this order. Result files carry them as attributes.
  std::vector<std::pair<std::string, std::string>> entries() const;
};

Provenance provenance();

}  // namespace torsor::io
