#pragma once

#include <cfenv>
#include <string>

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

  /// Adds what the host had changed to the note of a run; nothing where it had changed nothing.
  void note_in(std::string& note) const;

 private:
  int rounding_;
  unsigned flush_bits_;
};

}  // namespace torsor::sim
