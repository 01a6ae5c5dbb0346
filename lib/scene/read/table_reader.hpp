#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scene/diagnostics.hpp"
#include "scene/document.hpp"
#include "scene/language/definitions.hpp"
#include "scene/schema/schema.hpp"
#include "torsor/model/mechanism.hpp"

namespace torsor::scene {

struct Reading;

/// The quantity of the motion that a dotted name means, such as joint.pivot.angle, or the reason why there is
/// none.
using FoundQuantity = std::variant<Measured, std::string>;
FoundQuantity find_quantity(Reading& reading, std::string_view name);

/// Reads the values of one table that fits its rule. Units, ranges and defaults come from the rule. A value
/// that cannot be read is reported and returned as absent (or zero), so that reading continues and finds
/// the other errors.
class TableReader {
 public:
  /// `table` may be nullptr: then every key is absent. `begin`: the start time (s), at which expressions
  /// must be finite. Expressions may use the names of `definitions`.
  TableReader(const Node* table, const Rule& rule, std::string where, double begin, Diagnostics& diagnostics,
              const Definitions& definitions = no_definitions())
      : table_(table),
        rule_(rule),
        where_(std::move(where)),
        begin_(begin),
        diagnostics_(diagnostics),
        definitions_(definitions) {}

  /// The same table, whose formulas may also use quantities of the motion.
  TableReader of_state(Reading& reading) const;
  /// The same table, whose formulas may use t alone.
  TableReader of_time() const;

  const std::string& where() const { return where_; }
  const Node* find(std::string_view key) const { return table_ ? table_->find(key) : nullptr; }
  /// Whether a key is present and fits its rule.
  bool readable(std::string_view key) const { return given(key) != nullptr; }
  /// The position of a value in the file, or of the table if the key is missing.
  Position at(std::string_view key = {}) const;
  /// The table under a key, described as `"key" of where`.
  TableReader inner(std::string_view key) const;
  /// The same for one table of an array.
  TableReader element(const Node& table, std::string_view key) const;

  // Each returns the given value; if there is none, the default of the schema; else absent (or zero, or
  // empty). `unit` replaces the unit of the schema where the unit depends on other keys; "" for a
  // plain number.
  std::optional<double> number(std::string_view key) const;
  std::optional<Vec3> vec3(std::string_view key) const;
  std::optional<std::vector<double>> numbers(std::string_view key,
                                             const std::vector<std::string_view>& units = {}) const;
  /// Reads three rows, or three principal values (a diagonal), or one number (times the unit matrix).
  std::optional<Mat3> matrix(std::string_view key) const;
  TimeFunction time_function(std::string_view key, std::optional<std::string_view> unit = {}) const;
  TimeVec3 time_vec3(std::string_view key) const;
  std::string text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  bool flag(std::string_view key) const;
  long integer(std::string_view key) const;

  void error(std::string_view key, const std::string& message) const;
  template <std::invocable Compose>
  void error(std::string_view key, const Compose& compose) const {
    diagnostics_.error(at(key), compose);
  }
  Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  const Node* given(std::string_view key) const {
    const Node* node = find(key);
    return node && !node->bad ? node : nullptr;
  }
  const Rule& rule(std::string_view key) const { return *rule_.property(key); }
  std::variant<std::vector<Measured>, std::string> number_inputs(Expression& formula) const;
  std::optional<double> constant(const Node& node, std::string_view key, const Rule& rule,
                                 std::string_view unit) const;
  std::optional<TimeFunction> quantity(const Node& node, std::string_view key, const Rule& rule,
                                       std::string_view unit) const;
  /// Reports `"key" of where`, followed by `why` (" must ...", ": unknown ...").
  void fail(const Node& node, std::string_view key, const std::string& why) const;

  const Node* table_;
  const Rule& rule_;
  std::string where_;
  double begin_;
  Diagnostics& diagnostics_;
  const Definitions& definitions_;
  Reading* quantities_ = nullptr;  ///< nullptr: formulas cannot use quantities of the motion
};

/// The first of the keys that is present; more than one is an error.
std::optional<std::string_view> choice(const TableReader& table, const std::vector<std::string_view>& keys);

}  // namespace torsor::scene
