#pragma once

#include <cfenv>
#include <string>

namespace torsor::mechanics {

/// Sets the default floating-point mode (rounding to nearest, denormals kept) and restores the former mode in
/// its destructor. A host program that is linked with fast-math flushes denormals in the whole process, and
/// another rounding mode changes every result.
class DefaultArithmetic {
 public:
  DefaultArithmetic();
  ~DefaultArithmetic();
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

  /// Adds a note to the run if the host program had changed the mode.
  void note_in(std::string& note) const;

 private:
  int rounding_;
  unsigned flush_bits_;
};

}  // namespace torsor::mechanics
