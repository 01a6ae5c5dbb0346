// As precompiled.hpp, for the libraries of scene, io and batch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unordered_map>

#include "io/result.hpp"
#include "precompiled.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/batch/compare.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"
