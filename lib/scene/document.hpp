#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace torsor::scene {

/// Where something was written: a place in the file, or the key (column 0) or value (column 1) of an override
/// of the command line (from 0).
struct Position {
  int line = 0, column = 0;
  int override_index = -1;
  Position() = default;
  Position(int line_, int column_, int override_index_ = -1)
      : line(line_), column(column_), override_index(override_index_) {}
  friend bool operator==(const Position&, const Position&) = default;
};

struct Entry;

/// A value of a scene file with its place. Arrays and tables keep the order of the file.
struct Node {
  using Array = std::vector<Node>;
  using Table = std::vector<Entry>;
  /// What TOML has and scenes have not: dates and times.
  struct Date {};
  std::variant<bool, std::int64_t, double, std::string, Date, Array, Table> value;
  Position at;
  bool bad = false;  ///< refused already: present, but not to be read

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

/// "a table", "an integer", ...: for messages.
std::string_view kind_name(const Node& node);

}  // namespace torsor::scene
