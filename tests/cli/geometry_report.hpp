#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "command.hpp"
#include "reference.hpp"

namespace torsor::test {

/// The report of `torsor geometry --json` on a scene, with further arguments.
inline json geometry(const std::vector<std::string>& scene) {
  const WorkFolder folder;
  std::vector<std::string> arguments = {"geometry", "--json"};
  arguments.insert(arguments.end(), scene.begin(), scene.end());
  const Outcome run = torsor(folder.path, arguments);
  CAPTURE(run.err);
  REQUIRE(run.code == 0);
  CHECK(folder.empty());
  return json::parse(run.out);
}

}  // namespace torsor::test
