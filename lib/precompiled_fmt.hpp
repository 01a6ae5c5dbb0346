// As precompiled.hpp, for libraries that print.
#include <fmt/format.h>

#include "precompiled.hpp"
