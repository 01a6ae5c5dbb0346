// The headers that most sources include, precompiled for the library torsor (not in a Release build), and
// through precompiled_upper.hpp and tests/support/precompiled.hpp for other targets. Sources still include
// all headers that they use, because precompiled headers can be disabled. None of the headers here includes
// explicit_pair.hpp, so that they are not compiled again after a change of the explicit methods.
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
