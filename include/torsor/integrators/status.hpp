#pragma once

#include "torsor/lie/status.hpp"
