#include <algorithm>

#include "make.hpp"

namespace torsor {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> list = {
      {"rkmk4", 4, 0, "", "Munthe-Kaas 1999", false, make_rkmk4},
      {"rkmk-ck54", 5, 4, "", "Munthe-Kaas 1999; Cash, Karp 1990", false, make_rkmk_ck54},
      {"rkmk-dopri5", 5, 4, "", "Munthe-Kaas 1999; Dormand, Prince 1980", false, make_rkmk_dopri5},
      {"rkmk-fehlberg78", 8, 7, "", "Munthe-Kaas 1999; Fehlberg 1968", false, make_rkmk_fehlberg78},
  };
  return list;
}

const MethodInfo* find_method(std::string_view name) {
  const auto found = std::find_if(methods().begin(), methods().end(),
                                  [&](const MethodInfo& method) { return method.name == name; });
  return found == methods().end() ? nullptr : &*found;
}

}  // namespace torsor
