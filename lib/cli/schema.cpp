#include "process.hpp"
#include "torsor/batch/study.hpp"
#include "verbs.hpp"

namespace torsor::cli {

int schema_verb(bool study) {
  print(study ? batch::study_schema() : scene::scene_schema());
  return 0;
}

}  // namespace torsor::cli
