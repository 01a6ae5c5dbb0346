#include <torsor/scene/scene.hpp>

int main() { return torsor::scene::scene_schema().empty(); }
