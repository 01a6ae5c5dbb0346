#include <torsor/scene/scene.hpp>

int main() { return torsor::scene_schema().empty(); }
