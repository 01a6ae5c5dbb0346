#pragma once

namespace torsor::detail {

/// One coefficient as published, a quotient of integers.
struct Quotient {
  long double over, under = 1;
  constexpr operator long double() const { return over / under; }
};

}  // namespace torsor::detail
