// Headers of other projects that most tests include, compiled once.
#include <doctest/doctest.h>

#include "../../lib/precompiled.hpp"
