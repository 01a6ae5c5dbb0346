#include "plugins_allowed.hpp"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "torsor/scene/scene.hpp"

namespace torsor::scene {
namespace {

std::atomic<bool> plugins_allowed = false;

}  // namespace

void allow_plugins() { plugins_allowed = true; }

std::string why_plugins_not_allowed() {
  const char* const variable = std::getenv("TORSOR_PLUGINS");
  if (plugins_allowed || (variable && std::string_view(variable) == "1")) return {};
  return "allow it by --plugins or TORSOR_PLUGINS=1";
}

}  // namespace torsor::scene
