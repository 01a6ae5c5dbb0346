#include "torsor/run/trajectory.hpp"

#include <algorithm>

namespace torsor {

std::vector<std::string> shared_reactions(const Mechanism& mechanism, const Trajectory& trajectory) {
  std::vector<std::string> names;
  const auto add = [&](const auto& parts, auto motions, const std::vector<char>& passed) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      if ((i < passed.size() && passed[i]) ||
          std::any_of(trajectory.samples.begin(), trajectory.samples.end(),
                      [&](const Sample& sample) { return !(sample.*motions)[i].unique; }))
        names.push_back(parts[i].name);
  };
  add(mechanism.joints, &Sample::joints, trajectory.passed.shared_joints);
  add(mechanism.constraints, &Sample::constraints, trajectory.passed.shared_constraints);
  return names;
}

}  // namespace torsor
