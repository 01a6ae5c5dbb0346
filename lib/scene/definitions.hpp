#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "diagnostics.hpp"
#include "document.hpp"
#include "expression.hpp"

namespace torsor::scene {

/// Letters, digits and _, beginning with no digit, at most 64.
bool is_word(std::string_view name);
/// Whether a name has a meaning in every formula: t, pi, sin and the like.
bool is_reserved(std::string_view name);

/// The names that the table [definitions] of a scene gives to numbers and to expressions of t.
class Definitions {
 public:
  static constexpr std::size_t most = 1000;

  Definitions() = default;
  /// Reads the table, each definition after those that it uses. What is wrong with one is thrown at once, as
  /// SceneError: every use of it would be another mistake.
  Definitions(const Node& document, Diagnostics& diagnostics);

  /// The variable t, and the names.
  const Vocabulary& of_time() const { return of_time_; }
  /// The variable i, and the names of constants.
  const Vocabulary& of_copies() const { return of_copies_; }
  bool has(std::string_view name) const { return units_.contains(std::string(name)); }
  /// The SI unit of the definition that a formula consists of; nullptr for any other formula, and for one
  /// without a unit of its own.
  const std::string* unit_of(std::string_view formula) const;

 private:
  Vocabulary of_time_{{"t"}}, of_copies_{{"i"}};
  std::unordered_map<std::string, std::string> units_;  ///< by name; empty: none of its own
};

/// Of a file that has none.
const Definitions& no_definitions();

}  // namespace torsor::scene
