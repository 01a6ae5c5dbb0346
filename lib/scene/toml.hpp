#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnostics.hpp"
#include "document.hpp"

namespace torsor::scene {

/// The document of a TOML text that passed `scan`; throws SceneError with the place of the first mistake in
/// the syntax (a parser cannot go on behind it), a doubled key among them.
Node parse_toml(std::string_view text, const Diagnostics& diagnostics);

/// A lone TOML value, as after `key =`; nothing where the text is none. Every place inside is `at`.
std::optional<Node> parse_toml_value(std::string_view text, const Position& at);

/// The document as TOML text: numbers round-trip, tables and arrays of tables as sections.
std::string to_toml(const Node& document);
/// A lone value, as after `key =`.
std::string to_toml_value(const Node& node);

}  // namespace torsor::scene
