#include "torsor/integrators/treatment.hpp"

#include <array>
#include <cstddef>

namespace torsor {
namespace {

using enum Treatment;

constexpr std::array all{index_3, index_2, stabilised_index_2, index_1, minimal, dynamic, viscous};
constexpr std::array<std::string_view, all.size()> names{
    "index-3", "index-2", "stabilised-index-2", "index-1", "minimal", "dynamic", "viscous"};

}  // namespace

std::span<const Treatment> treatments() { return all; }

std::string_view to_string(Treatment treatment) { return names[static_cast<std::size_t>(treatment)]; }

std::optional<Treatment> find_treatment(std::string_view wanted) {
  for (const Treatment treatment : all)
    if (to_string(treatment) == wanted) return treatment;
  return std::nullopt;
}

}  // namespace torsor
