#pragma once

#include <cfenv>

namespace torsor::sim {

/// Default arithmetic for as long as it lives: rounding to nearest, denormals kept. A host program linked
/// with fast-math flushes denormals for the whole process, and a changed rounding mode moves every result;
/// both come back as they were when the run is over.
class DefaultArithmetic {
 public:
  DefaultArithmetic();
  ~DefaultArithmetic();
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

  /// What the host had changed; empty when nothing.
  const char* note() const;

 private:
  int rounding_;
  unsigned flush_bits_;
};

}  // namespace torsor::sim
