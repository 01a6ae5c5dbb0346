#pragma once

#include <sstream>
#include <string>
#include <vector>

/// Functions that build parts of messages.
namespace torsor {

inline std::string one_a_line(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "\n") + reason;
  return text;
}

inline std::string at_time(const std::string& what, double t) {
  std::ostringstream text;
  text << what << " at t = " << t;
  return text.str();
}

}  // namespace torsor
