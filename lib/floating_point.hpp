#pragma once

#include <cfenv>
#include <string>

namespace torsor::mechanics {

/// Sets the default floating-point environment (rounding to nearest, denormals kept, no traps) and restores
/// the former one, its exception flags too, in its destructor. A host program that is linked with fast-math
/// flushes denormals in the whole process, another rounding mode changes every result, and a trap for 0/0 or
/// overflow would end the program in a calculation whose result is tested afterwards. Functions that read
/// scenes, solve for starts, run motions and report on geometry use it, so callbacks run in it too.
class DefaultArithmetic {
 public:
  DefaultArithmetic();
  ~DefaultArithmetic();
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

  /// Adds a note to the run if the host program had changed the rounding mode or flushes denormals.
  void note_in(std::string& note) const;

 private:
  std::fenv_t environment_;
  int rounding_;
  unsigned flush_bits_;
};

}  // namespace torsor::mechanics
