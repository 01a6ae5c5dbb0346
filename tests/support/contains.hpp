#pragma once

#include <string>

namespace torsor::test {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace torsor::test
