#include "process.hpp"
#include "verbs.hpp"

namespace torsor::cli {

int schema_verb() {
  print(scene_schema());
  return 0;
}

}  // namespace torsor::cli
