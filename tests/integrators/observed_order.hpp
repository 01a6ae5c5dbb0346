#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace torsor::test {

/// The slope of log(error) against log(h), by least squares over the step sizes h, h/2, h/4, ...
struct ObservedOrder {
  double slope;
  std::vector<double> errors;

  std::string text() const {
    std::ostringstream out;
    out << slope << " from";
    for (const double error : errors) out << ' ' << error;
    return out.str();
  }
};

/// `error(n)` is the global error with n steps; n, 2n, 4n, ... give `count` values.
template <class Error>
ObservedOrder observed_order(const Error& error, int n, int count) {
  ObservedOrder result{0, {}};
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; ++i) {
    result.errors.push_back(error(n << i));
    mean_x -= i * std::log(2.) / count;
    mean_y += std::log(result.errors[i]) / count;
  }
  for (int i = 0; i < count; ++i) {
    const double x = -i * std::log(2.) - mean_x, y = std::log(result.errors[i]) - mean_y;
    xx += x * x;
    xy += x * y;
  }
  result.slope = xy / xx;
  return result;
}

}  // namespace torsor::test
