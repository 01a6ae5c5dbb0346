#include <torsor/batch/batch.hpp>
#include <torsor/scene.hpp>

int main(int argc, char** argv) {
  if (argc > 1) torsor::batch::run_batch(torsor::batch::load_study(argv[1]), {});
  return torsor::scene::scene_schema().empty();
}
