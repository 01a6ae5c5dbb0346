#include "torsor/sim/trajectory.hpp"

#include <algorithm>

namespace torsor {

std::vector<std::string> shared_reactions(const Mechanism& mechanism, const std::vector<Sample>& samples) {
  std::vector<std::string> names;
  const auto add = [&](const auto& parts, auto motions) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (std::any_of(samples.begin(), samples.end(),
                      [&](const Sample& sample) { return !(sample.*motions)[i].unique; }))
        names.push_back(parts[i].name);
  };
  add(mechanism.joints, &Sample::joints);
  add(mechanism.constraints, &Sample::constraints);
  return names;
}

}  // namespace torsor
