// What most tests include of other projects, parsed once.
#include <doctest/doctest.h>

#include "../../lib/precompiled.hpp"
