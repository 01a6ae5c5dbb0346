#pragma once

#include <string>
#include <vector>

namespace torsor {

/// A number as plots write it: "-2.5", "10⁻⁹".
std::string power_of_ten(int exponent);

/// The range of an axis with its ticks: values where lines stand, with a text or none.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  struct Tick {
    double at;
    std::string text;
  };
  std::vector<Tick> ticks;
  int exponent = 0;  ///< texts are to be multiplied by this power of ten

  /// Where a value is between 0 and 1; not finite where it cannot be shown.
  double place(double value) const;
};

/// An axis over these values with about `count` ticks at round numbers; where all are equal, room about them.
/// A logarithmic one looks at positive values alone.
Axis make_axis(const std::vector<const std::vector<double>*>& values, bool logarithmic, int count,
               bool round_ends);

}  // namespace torsor
