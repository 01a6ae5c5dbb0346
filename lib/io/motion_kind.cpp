#include "motion_kind.hpp"

namespace torsor {
namespace {

std::vector<std::string> mass_centre_columns(const Scene& scene) {
  std::vector<std::string> all;
  for (const Body& body : scene.mechanism.bodies)
    for (const char* axis : {".x", ".y", ".z"}) all.push_back("body." + body.name + axis);
  return all;
}

std::vector<double> mass_centres(const Sample& sample) {
  std::vector<double> all;
  for (const BodyMotion& body : sample.bodies) all.insert(all.end(), body.x.begin(), body.x.end());
  return all;
}

std::vector<std::string> coordinate_value_columns(const Scene& scene) {
  std::vector<std::string> all;
  for (const std::string& name : scene.in_coordinates->coordinates)
    all.push_back("coordinate." + name + ".value");
  return all;
}

std::vector<double> coordinate_values(const Sample& sample) { return {sample.x.q.begin(), sample.x.q.end()}; }

std::vector<std::pair<std::string_view, std::string_view>> form_of_bodies(const Scene& scene) {
  return {{"formulation", to_string(scene.formulation)}, {"group", to_string(scene.group)}};
}
std::vector<std::pair<std::string_view, std::string_view>> form_in_coordinates(const Scene& scene) {
  return {{"equations", to_string(scene.in_coordinates->equations)}};
}

constexpr MotionKind kind_of_bodies{.in_coordinates = false,
                                    .form = form_of_bodies,
                                    .write_row = of_bodies::write_row,
                                    .write_end = of_bodies::write_end,
                                    .declare = of_bodies::declare,
                                    .read = of_bodies::read,
                                    .position_columns = mass_centre_columns,
                                    .positions = mass_centres,
                                    .position_components = 3,
                                    .position_unit = "m",
                                    .drawn_bodies = of_bodies::drawn_bodies,
                                    .drawn_motions = of_bodies::drawn_motions,
                                    .drawn_columns = "",
                                    .contents = of_bodies::contents,
                                    .figures = of_bodies::figures,
                                    .html_end = of_bodies::html_end};

constexpr MotionKind kind_in_coordinates{.in_coordinates = true,
                                         .form = form_in_coordinates,
                                         .write_row = in_coordinates::write_row,
                                         .write_end = in_coordinates::write_end,
                                         .declare = in_coordinates::declare,
                                         .read = in_coordinates::read,
                                         .position_columns = coordinate_value_columns,
                                         .positions = coordinate_values,
                                         .position_components = 1,
                                         .position_unit = "",
                                         .drawn_bodies = in_coordinates::drawn_bodies,
                                         .drawn_motions = in_coordinates::drawn_motions,
                                         .drawn_columns = "coordinate.*.value",
                                         .contents = in_coordinates::contents,
                                         .figures = in_coordinates::figures,
                                         .html_end = in_coordinates::html_end};

}  // namespace

const MotionKind& motion_kind(const Scene& scene) {
  return scene.in_coordinates ? kind_in_coordinates : kind_of_bodies;
}

}  // namespace torsor
