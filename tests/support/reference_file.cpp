#include "support/reference_file.hpp"

#include <fstream>
#include <stdexcept>

nlohmann::json torsor::test::reference_file(const std::string& name) {
  std::ifstream file(TORSOR_TESTS "/reference/" + name + ".json");
  if (!file) throw std::runtime_error("no reference of " + name);
  return nlohmann::json::parse(file);
}
