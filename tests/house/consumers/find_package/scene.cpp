#include <torsor/scene.hpp>

int main() { return torsor::scene::scene_schema().empty(); }
