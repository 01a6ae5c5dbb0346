#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expression.hpp"
#include "scene/diagnostics.hpp"
#include "scene/document.hpp"

namespace torsor::scene {

/// Whether a name has at most 64 letters, digits and _, and does not begin with a digit.
bool is_word(std::string_view name);
/// Whether a name has a meaning in every formula: t, pi, sin and the like.
bool is_reserved(std::string_view name);

/// The names that the table [definitions] of a scene gives to numbers and to expressions of t.
class Definitions {
 public:
  static constexpr std::size_t most = 1000;

  /// No definitions. Formulas then cannot use quantities of the motion, so that threads may share the object.
  Definitions() = default;
  /// Reads the table, each definition after the definitions that it uses. Throws a SceneError at once if a
  /// definition is wrong, because every use of it would cause another error.
  /// Reading a formula with `of_time` appends to `measured` and `files`, so the object and its copies are for
  /// one thread. `folder` and `tables`: as for TableFiles.
  Definitions(const Node& document, Diagnostics& diagnostics, const std::string& folder = ".",
              std::map<std::string, std::string> tables = {});

  /// The variable t, the quantities of the motion and all definitions.
  const Vocabulary& of_time() const { return of_time_; }
  /// The quantities of the motion that the formulas read so far use, also those of definitions.
  const std::vector<std::string>& measured() const;
  /// The first quantity of the motion in a formula of `of_time`, or nullptr.
  const std::string* measured_in(const Expression& formula) const;
  /// The variable i and the definitions that are constant.
  const Vocabulary& of_copies() const { return of_copies_; }
  /// Names and texts of the files that the formulas read so far use.
  const std::map<std::string, std::string>& files() const;
  bool has(std::string_view name) const { return units_.contains(std::string(name)); }
  /// The SI unit of a definition, if the formula is its name alone (or minus its name). nullptr for any other
  /// formula, and for a definition without a unit.
  const std::string* unit_of(std::string_view formula) const;

 private:
  std::shared_ptr<TableFiles> files_;
  std::shared_ptr<std::vector<std::string>> measured_;  ///< shared by copies, whose of_time_ points to it
  Vocabulary of_time_{{"t"}}, of_copies_{{"i"}};
  std::unordered_map<std::string, std::string> units_;  ///< by name; empty for a definition without a unit
};

/// The definitions of a file that has none.
const Definitions& no_definitions();

}  // namespace torsor::scene
