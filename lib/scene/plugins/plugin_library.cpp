#include "plugin_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "run/plain_text.hpp"

namespace torsor::scene {
namespace {

/// No plugin needs more bodies, parameters, states or rows.
constexpr int most_entries = 10'000;

/// The reason of the loader, without the path with which it may begin: the message names the library already.
std::string loader_reason(const std::string& path) {
  const char* const error = ::dlerror();
  std::string reason = error ? error : "unknown reason";
  if (reason.starts_with(path + ": ")) reason.erase(0, path.size() + 2);
  return reason;
}

/// Whether a library ends before one of the parts that its header lists, as after an interrupted copy.
/// Loading such a file could end the program by SIGBUS. Every other fault of the file is left to the loader.
bool is_cut_short(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto read = [&file](auto& value) {
    return !!file.read(reinterpret_cast<char*>(&value), sizeof value);
  };
  ElfW(Ehdr) header;
  ElfW(Phdr) part;
  if (!read(header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof part)
    return false;
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure) return false;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    if (!read(part)) return true;
    if (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset)) return true;
  }
  return false;
}

bool is_entry_name(const char* name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view others = "0123456789_";
  const std::string_view text = name ? name : "";
  if (text.empty() || text.size() > 64 || letters.find(text.front()) == letters.npos) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letters.find(c) != letters.npos || others.find(c) != others.npos;
  });
}

/// Why an array of parameters or states is not valid; empty if it is.
template <class Entry>
std::string why_invalid(int count, const Entry* entries, std::string_view noun, double Entry::*number) {
  if (count < 0 || count > most_entries) return fmt::format("it has {} {}s", count, noun);
  if (count > 0 && !entries)
    return fmt::format("it has {} {}s, and the pointer to them is null", count, noun);
  std::unordered_set<std::string_view> seen;
  for (int i = 0; i < count; ++i) {
    const Entry& entry = entries[i];
    if (!is_entry_name(entry.name))
      return fmt::format("{} {} has no valid name: at most 64 letters, digits and _, beginning with a letter",
                         noun, i);
    if (!seen.insert(entry.name).second) return fmt::format("two {}s are called \"{}\"", noun, entry.name);
    if (!entry.unit) return fmt::format("{} \"{}\" has no unit", noun, entry.name);
    if (!is_utf8(entry.unit)) return fmt::format("the unit of {} \"{}\" is not UTF-8", noun, entry.name);
    if (!std::isfinite(entry.*number))
      return fmt::format("the value of {} \"{}\" is not finite", noun, entry.name);
  }
  return {};
}

std::string why_force_invalid(const torsor_plugin& descriptor) {
  if (!descriptor.force) return "its function \"force\" is null";
  if (descriptor.row_count != 0) return "it is a force with rows of a constraint";
  if (descriptor.constraint) return "it is a force, and its function \"constraint\" is not null";
  return why_invalid(descriptor.state_count, descriptor.states, "state", &torsor_state::start);
}

std::string why_constraint_invalid(const torsor_plugin& descriptor) {
  if (!descriptor.constraint) return "its function \"constraint\" is null";
  if (descriptor.force || descriptor.energy) return "it is a constraint with functions of a force";
  if (descriptor.state_count != 0) return "it is a constraint with states";
  if (descriptor.row_count < 1 || descriptor.row_count > most_entries)
    return fmt::format("it is a constraint with {} rows", descriptor.row_count);
  return {};
}

}  // namespace

std::string why_invalid(const torsor_plugin& descriptor) {
  if (descriptor.kind != TORSOR_FORCE && descriptor.kind != TORSOR_CONSTRAINT)
    return fmt::format("its kind is {}, which is neither a force nor a constraint", descriptor.kind);
  if (descriptor.body_count < 0 || descriptor.body_count > most_entries)
    return fmt::format("it acts on {} bodies", descriptor.body_count);
  std::string why = why_invalid(descriptor.parameter_count, descriptor.parameters, "parameter",
                                &torsor_parameter::fallback);
  if (!why.empty()) return why;
  if (descriptor.destroy && !descriptor.create)
    return "it has the function \"destroy\", and its function \"create\" is null";
  return descriptor.kind == TORSOR_FORCE ? why_force_invalid(descriptor) : why_constraint_invalid(descriptor);
}

std::variant<std::shared_ptr<const PluginLibrary>, std::string> PluginLibrary::load(const std::string& path) {
  if (is_cut_short(path)) return "cannot be loaded: the file is cut short";
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return "cannot be loaded: " + loader_reason(path);
  const std::shared_ptr<PluginLibrary> library(new PluginLibrary(handle));
  library->descriptor_ = static_cast<const torsor_plugin*>(::dlsym(handle, "torsor_plugin_descriptor"));
  if (!library->descriptor_) return "is not a plugin: it does not define torsor_plugin_descriptor";
  const int version = library->descriptor_->version;  // other members may differ in other versions
  if (version != TORSOR_PLUGIN_VERSION)
    return fmt::format("has version {} of the interface of plugins; this program has version {}", version,
                       TORSOR_PLUGIN_VERSION);
  if (const std::string why = why_invalid(library->descriptor()); !why.empty())
    return "is not a valid plugin: " + why;
  return library;
}

PluginLibrary::~PluginLibrary() { ::dlclose(handle_); }

}  // namespace torsor::scene
