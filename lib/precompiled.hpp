// The headers that most sources include, parsed once for each library. Sources still include what they use:
// the build does without this file where precompiled headers are disabled. explicit_pair.hpp, which methods
// change most, is in none of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "dense.hpp"  // Eigen
#include "torsor/model/kinematics.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/mechanism_system.hpp"
