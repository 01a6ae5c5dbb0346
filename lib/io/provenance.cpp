#include "provenance.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <fstream>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "build_info.hpp"

namespace torsor::io {
namespace {

constexpr const char* instruction_set() {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
  return "x86-64-v4";
#elif defined(__AVX2__) && defined(__FMA__)
  return "x86-64-v3";
#elif defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

std::string cpu() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string mxcsr() {
#if defined(__x86_64__)
  return fmt::format("{:#06x}", _mm_getcsr() & 0xffc0u);  // without the flags of past exceptions
#else
  return "none";
#endif
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Provenance::entries() const {
  return {{"version", version},   {"git", git},
          {"compiler", compiler}, {"build_type", build_type},
          {"flags", flags},       {"instruction_set", instruction_set},
          {"cpu", cpu},           {"libm", libm},
          {"mxcsr", mxcsr}};
}

Provenance provenance() {
  return {build::version, build::git,        build::compiler, build::type,
          build::flags,   instruction_set(), cpu(),           std::string("glibc ") + gnu_get_libc_version(),
          mxcsr()};
}

}  // namespace torsor::io
