#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnostics.hpp"
#include "document.hpp"

namespace torsor::scene {

/// The document of a TOML text that passed `scan`. Throws a SceneError with the position of the first syntax
/// error or duplicate key; the parser cannot continue after it.
Node parse_toml(std::string_view text, const Diagnostics& diagnostics);

/// Reads a single TOML value, as after `key =`; nothing if the text is not one. All nodes get the position
/// `at`.
std::optional<Node> parse_toml_value(std::string_view text, const Position& at);

/// The document as TOML text: numbers round-trip, tables and arrays of tables as sections.
std::string to_toml(const Node& document);
/// A single value as TOML text, as after `key =`.
std::string to_toml_value(const Node& node);

}  // namespace torsor::scene
