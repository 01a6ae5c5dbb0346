#pragma once

#include <sstream>
#include <string>

#include "torsor/model/detail/reason.hpp"

/// Functions that build parts of messages.
namespace torsor {

inline std::string one_a_line(const Reasons& reasons) {
  std::string text;
  for (const Reason& reason : reasons) text += (text.empty() ? "" : "\n") + reason.text;
  return text;
}

inline std::string at_time(const std::string& what, double t) {
  std::ostringstream text;
  text << what << " at t = " << t;
  return text.str();
}

}  // namespace torsor
