#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace torsor::scene {

/// The place of a value or key in the input: a line and a column of the file, or the key (column 0) or value
/// (column 1) of an override of the command line. Overrides count from 0; -1 means the file.
struct Position {
  int line = 0, column = 0;
  int override_index = -1;
  Position() = default;
  Position(int line_, int column_, int override_index_ = -1)
      : line(line_), column(column_), override_index(override_index_) {}
  friend bool operator==(const Position&, const Position&) = default;
};

struct Entry;

/// A value of a scene file with its position. Arrays and tables keep the order of the file.
struct Node {
  using Array = std::vector<Node>;
  using Table = std::vector<Entry>;
  /// A date or time, which TOML allows and scenes do not.
  struct Date {};
  std::variant<bool, std::int64_t, double, std::string, Date, Array, Table> value;
  Position at;
  bool bad = false;  ///< already reported as an error; must not be read

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&value);
  }
  /// The value under a key of a table, or nullptr.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct Entry {
  std::string key;
  Position key_at;
  Node value;
};

/// "a table", "an integer" and so on, for messages.
std::string_view kind_name(const Node& node);

}  // namespace torsor::scene
