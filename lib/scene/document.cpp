#include "document.hpp"

#include <array>
#include <utility>

namespace torsor::scene {

const Node* Node::find(std::string_view key) const {
  if (const auto* table = as<Table>())
    for (const Entry& entry : *table)
      if (entry.key == key) return &entry.value;
  return nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

std::string_view kind_name(const Node& node) {
  static constexpr std::array<std::string_view, 7> names{
      "a boolean", "an integer", "a floating-point number", "a string", "a date", "an array", "a table"};
  return names[node.value.index()];
}

}  // namespace torsor::scene
