#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/diagnostics.hpp"
#include "scene/document.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// One node of the schema, with its references resolved. It states which values are allowed. The code takes
/// types, ranges, units and defaults from the schema alone and does not repeat them.
struct Rule {
  struct Property {
    std::string key;
    const Rule* rule;
  };
  enum Type : unsigned { boolean = 1, integer = 2, number = 4, string = 8, array = 16, object = 32 };

  unsigned types = 0;
  std::string description;
  std::string unit;         ///< SI; empty for plain numbers
  bool expression = false;  ///< may depend on t and, if the key allows it, on the motion
  int derivatives = 0;      ///< number of its derivatives in t that must be continuous; 0: not stated
  std::optional<double> minimum, maximum, above;  ///< `above`: exclusive minimum
  std::vector<std::string> allowed;               ///< strings; empty: any string
  std::size_t min_items = 0, max_items = 4'000'000;
  const Rule* items = nullptr;
  std::vector<Property> properties;  ///< in the order of the schema
  const Rule* others = nullptr;      ///< rule of the keys that the user names
  std::vector<std::string> required;
  std::vector<const Rule*> variants;                 ///< distinguished by the key "kind"
  const nlohmann::ordered_json* fallback = nullptr;  ///< the default, or nullptr

  const Rule* property(std::string_view key) const;
  /// The keys of `properties`.
  std::vector<std::string_view> keys() const;
  /// The variant that a table chooses by its kind, or nullptr.
  const Rule* variant(const Node& table) const;
};

/// A kind of file: its name in messages, and its schema.
struct Language {
  std::string_view noun;    ///< "scene"
  std::string_view schema;  ///< JSON Schema (draft-07)
  const Rule& rule;         ///< rule of a whole document
};
const Language& scene_language();
inline const Rule& scene_rule() { return scene_language().rule; }

/// Makes the rules of a schema. They live until the program ends, so call this once for each schema.
const Rule& make_rule(std::string_view schema);

/// The limit that a number violates, as text for a message; empty if the number is in range.
std::optional<std::string> out_of_range(const Rule& rule, double x);

/// The end of a message about a key that the table of the rule `table` does not have: the key that is
/// probably meant, or else all keys of the table. In the document itself, with the rule `document`, and in
/// its tables such as [run], the names of other tables that have the key take the place of this list.
std::string advice_on_key(std::string_view key, const Rule& table, const Rule& document);

/// Checks a document against its schema: keys, types, ranges, required keys. Marks wrong values as bad.
void check_schema(Node& document, const Language& language, Diagnostics& diagnostics);

/// Checks a document that passed `check_schema` again, with an independent JSON Schema validator (valijson),
/// and reports the errors that the validator finds.
void check_with_validator(const Node& document, const Language& language, Diagnostics& diagnostics);

}  // namespace torsor::scene
