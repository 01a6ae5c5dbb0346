#pragma once

#include <string>
#include <vector>

namespace torsor::io {

/// A power of ten as plots write it: "1", "10", "10⁻⁹".
std::string power_of_ten(int exponent);

/// The range of an axis and its ticks: values at which grid lines are drawn, with their texts.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  struct Tick {
    double at;
    std::string text;
  };
  std::vector<Tick> ticks;
  int exponent = 0;   ///< multiply the numbers in the texts by this power of ten
  double offset = 0;  ///< then add this value: nonzero if the numbers alone would have too many digits

  /// Position of a value on the axis: 0 at `low`, 1 at `high`; not finite if the axis cannot show the value.
  double place(double value) const;
};

/// An axis over these values, with about `count` ticks at round numbers. If all values are equal, the range
/// extends to both sides of them. A logarithmic axis uses only positive values.
Axis make_axis(const std::vector<const std::vector<double>*>& values, bool logarithmic, int count,
               bool round_ends);

}  // namespace torsor::io
