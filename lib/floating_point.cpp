#include "floating_point.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace torsor::mechanics {
namespace {

#if defined(__SSE2__)
constexpr unsigned flush_mask = 0x8040;  // MXCSR: flush to zero (bit 15), denormals are zero (bit 6)
unsigned flush_bits() { return _mm_getcsr() & flush_mask; }
void set_flush_bits(unsigned bits) { _mm_setcsr((_mm_getcsr() & ~flush_mask) | bits); }
#elif defined(__aarch64__)
constexpr unsigned long flush_mask = 1ul << 24;  // FPCR: flush to zero (bit 24)
unsigned long control() {
  unsigned long fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}
unsigned flush_bits() { return static_cast<unsigned>(control() & flush_mask); }
void set_flush_bits(unsigned bits) { asm volatile("msr fpcr, %0" : : "r"((control() & ~flush_mask) | bits)); }
#else
unsigned flush_bits() { return 0; }
void set_flush_bits(unsigned) {}
#endif

}  // namespace

DefaultArithmetic::DefaultArithmetic() : rounding_(std::fegetround()), flush_bits_(flush_bits()) {
  std::fegetenv(&environment_);
  std::fesetenv(FE_DFL_ENV);
  if (flush_bits_ != 0) set_flush_bits(0);
}

DefaultArithmetic::~DefaultArithmetic() {
  std::fesetenv(&environment_);
  if (flush_bits_ != 0) set_flush_bits(flush_bits_);
}

void DefaultArithmetic::note_in(std::string& note) const {
  const bool rounding = rounding_ != FE_TONEAREST, flush = flush_bits_ != 0;
  if (!rounding && !flush) return;
  if (!note.empty()) note += "; ";
  note += rounding && flush ? "rounding mode and flushing of denormals were reset for the run"
          : rounding        ? "the rounding mode was reset to nearest for the run"
                            : "flushing of denormals to zero was switched off for the run";
}

}  // namespace torsor::mechanics
