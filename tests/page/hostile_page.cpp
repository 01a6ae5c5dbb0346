// hostile_page FILE: writes a replay whose names and title are markup. Scene files refuse such names, but a
// scene made in code or a result from another program may have them.
#include <exception>
#include <iostream>

#include "io/sample_result.hpp"
#include "io/text_file.hpp"
#include "torsor/io/pages.hpp"

int main(int count, char** arguments) try {
  using namespace torsor;
  if (count != 2) return 2;
  const std::string markup = "</script><img src=x onerror=alert(1)>";
  io::StoredResult result;
  result.scene = test::sample_scene();
  result.scene.title = markup;
  result.scene.name = markup;
  for (Body& body : result.scene.mechanism.bodies) body.name = markup + body.name;
  for (Joint& joint : result.scene.mechanism.joints) joint.name = markup;
  for (TrackedPoint& point : result.scene.points) point.name = markup;
  result.trajectory = test::sample_trajectory(5);
  for (const char* name : {"method", "group", "message", "notes", "version", "status"})
    result.facts.push_back({name, markup});
  result.events.push_back({markup, 0.1});
  io::write_text(arguments[1], replay_page(result, {{"energy"}}).html);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
