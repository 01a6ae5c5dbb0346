// The headers that most sources include, parsed once for each library. Sources still include what they use:
// the build does without this file where precompiled headers are disabled. None of them includes
// explicit_pair.hpp, the header that work on methods changes most often.
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
