#include "torsor/integrators/treatment.hpp"

#include <array>
#include <utility>

namespace torsor {
namespace {

constexpr std::array<std::pair<Treatment, std::string_view>, 7> names{{
    {Treatment::index_3, "index-3"},
    {Treatment::index_2, "index-2"},
    {Treatment::stabilised_index_2, "stabilised-index-2"},
    {Treatment::index_1, "index-1"},
    {Treatment::minimal, "minimal"},
    {Treatment::dynamic, "dynamic"},
    {Treatment::viscous, "viscous"},
}};

}  // namespace

std::string_view to_string(Treatment treatment) {
  for (const auto& [value, name] : names)
    if (value == treatment) return name;
  return "unknown";
}

std::optional<Treatment> find_treatment(std::string_view wanted) {
  for (const auto& [value, name] : names)
    if (name == wanted) return value;
  return std::nullopt;
}

}  // namespace torsor
