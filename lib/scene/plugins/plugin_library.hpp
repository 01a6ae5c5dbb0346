#pragma once

#include <memory>
#include <string>
#include <variant>

#include "torsor/plugin.h"

namespace torsor::scene {

/// A compiled library that defines a force or a constraint. Its descriptor has been checked.
class PluginLibrary {
 public:
  /// Loads a library, or says why it is not a plugin, as the end of a sentence that begins with its name.
  static std::variant<std::shared_ptr<const PluginLibrary>, std::string> load(const std::string& path);
  ~PluginLibrary();
  PluginLibrary(const PluginLibrary&) = delete;
  PluginLibrary& operator=(const PluginLibrary&) = delete;

  const torsor_plugin& descriptor() const { return *descriptor_; }

 private:
  explicit PluginLibrary(void* handle) : handle_(handle) {}

  void* handle_;
  const torsor_plugin* descriptor_ = nullptr;
};

/// Why a descriptor of this version is not valid; empty if it is.
std::string why_invalid(const torsor_plugin& descriptor);

}  // namespace torsor::scene
