#include "gallery.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "exit_code.hpp"
#include "io/temporary_folder.hpp"
#include "io/text_file.hpp"
#include "process.hpp"
#include "progress.hpp"
#include "scene_files.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::cli {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// One section of the gallery: scenes of one kind, and the settings that are compared on each scene.
struct Section {
  const char* heading;
  Names scenes, methods, groups = {}, formulations = {};
};

const std::vector<Section>& sections() {
  const static Names on_groups = {"lie-midpoint", "cg3", "rkmk4", "cf4", "rkmk-dopri5", "rkmk-dop853"};
  const static Names constrained = {"rkmk4", "rkmk-dopri5", "hemk5", "generalized-alpha", "bliedf2"};
  const static std::vector<Section> all = {
      {"Bodies",
       {"heavy_top_bruls", "heavy_top_slow", "lagrange_top", "lagrange_top_steady_precession",
        "satellite_gravity_gradient", "satellite_libration", "dumbbell_rigid", "triangle_rigid",
        "tetrahedron_rigid", "ten_particles_rigid"},
       on_groups},
      {"Two groups", {"spatial_body_direct"}, on_groups, {"direct", "semidirect"}},
      {"Trees, in joint coordinates and in absolute coordinates",
       {"chain3_spherical", "chain10_spherical", "double_pendulum_planar"},
       {"rkmk4", "cf4", "rkmk-dop853", "lie-midpoint"},
       {},
       {"tree", "absolute"}},
      {"Constraints in two groups",
       {"universal_double"},
       {"rkmk4", "cf4", "rkmk-dop853"},
       {"direct", "semidirect"},
       {"absolute"}},
      {"Loops",
       {"fourbar_driven", "parallelogram", "bricard", "slider_crank_spatial", "governor",
        "andrews_mechanism"},
       constrained},
      {"Particles on rods",
       {"simple_pendulum", "kapitza_inverted", "spherical_pendulum_moving_support", "dumbbell_particles",
        "triangle_particles", "tetrahedron_particles", "ten_particles"},
       constrained},
      {"Rolling and blades",
       {"rolling_disk_torque", "ball_on_incline", "sphere_on_turntable_constant", "chaplygin_sleigh"},
       {"rkmk4", "hemk5", "generalized-alpha"},
       {"direct", "semidirect"},
       {"absolute"}},
      {"Systems in coordinates",
       {"moving_pendulum_chart", "moving_pendulum_standard", "spherical_motion_313",
        "spherical_motion_313_canonical", "hamel_mechanism", "curved_sleigh", "particle_on_surface",
        "magnetic_bottle", "relativistic_particle"},
       {"cg3", "rkmk4", "rkmk-dopri5", "rkmk-dop853"}},
  };
  return all;
}

struct LeftOut {
  Names scenes;
  const char* why;
};
const std::vector<LeftOut>& left_out() {
  const static std::vector<LeftOut> all = {
      {{"heavy_top_geodesics", "spherical_motion_body_geodesics"},
       "they show a method whose steps are geodesics; their motions are those of heavy_top_slow and "
       "spherical_motion_body"},
      {{"free_rigid_body", "dzhanibekov", "so3_geodesic", "spherical_motion_body", "suslov"},
       "their mass centres are at rest, so their positions have no error; scenes of the gallery with bodies "
       "that turn show what a method costs"},
      {{"spatial_body_semidirect"},
       "it is spatial_body_direct in the other group, and the comparison of that scene includes it"},
      {{"n_fourbar_2", "n_fourbar_40"},
       "their bars pass through a line, a singular configuration: a run with equal steps can fail if a step "
       "happens to end next to it, whatever the step size"},
      {{"bennett", "sarrus"}, "their loops have redundant rows, like the loop of bricard in the gallery"},
      {{"ten_loops"}, "it tests whether constraints hold over a minute, and takes many minutes to compare"},
      {{"se3_screw_motion"},
       "the motion is an exponential, which every method follows to rounding, except the symplectic ones"},
      {{"rolling_disk_exact"}, "it is the disk of rolling_disk_torque without the torque"},
      {{"rolling_disk_viscous_1e-1", "rolling_disk_viscous_1e-2", "rolling_disk_viscous_1e-3",
        "rolling_disk_viscous_1e-4", "curved_sleigh_viscous"},
       "they show how closely friction approximates the ideal constraint, not what a method costs"},
      {{"whipple_bicycle"}, "its test compares it with published eigenvalues"},
      {{"rattleback", "gyrostat_in_gimbal", "satellite_reaction_wheel", "two_wheeled_cart", "falling_cat",
        "particle_on_torus", "foucault_pendulum", "inertial_navigation"},
       "each shows a law of its own motion; scenes of the same kinds in the gallery show what a method "
       "costs"},
      {{"cart_pole_lqr", "quadcopter_attitude", "satellite_wheel_control", "position_drive_pid",
        "cart_follows_path"},
       "they show what feedback does, not what a method costs"},
      {{"chaplygin_sleigh_connections"},
       "it shows that many connections give the motion of chaplygin_sleigh"},
      {{"rolling_disk_reduced", "curved_sleigh_reduced"},
       "they show how closely the expansion of the slow manifold approximates the motion with friction"},
  };
  return all;
}

/// The reason why a diagram shows other orders than the nominal orders of the methods.
std::string remark(const std::string& scene) {
  if (scene == "bricard")
    return " The error of bliedf2 changes sign between step sizes of 20 and 5 ms and does not fall with the "
           "order of the method there. Below 4 ms it does.";
  if (scene == "spherical_motion_313" || scene == "spherical_motion_313_canonical")
    return " At t = 1.24 s the angles are almost singular: sin theta is 0.017, and the rate of phi is ninety "
           "times its median. There coarse steps fail, or their errors are greater than the order predicts.";
  return {};
}

std::string scene_section(const std::string& scene, const batch::Comparison& all) {
  std::string text =
      fmt::format("\n### {}\n\n![{}]({}.svg)\n\n`torsor compare {}", all.title, all.title, scene, scene);
  const auto list = [&](const char* option, std::string batch::Combination::*part) {
    Names names;
    for (const batch::Combination& one : all.combinations)
      if (!(one.*part).empty() && std::find(names.begin(), names.end(), one.*part) == names.end())
        names.push_back(one.*part);
    if (!names.empty()) text += fmt::format(" {} {}", option, fmt::join(names, ","));
  };
  list("--methods", &batch::Combination::method);
  list("--groups", &batch::Combination::group);
  list("--formulations", &batch::Combination::formulation);
  text += "`. " + all.about_reference();
  if (const std::string errors = all.about_errors(); !errors.empty()) text += " " + errors;
  for (std::size_t i = 0; i < all.combinations.size(); ++i) {
    long failed = 0, count = 0;
    for (const batch::ComparedRun& run : all.runs)
      if (run.combination == i) ++count, failed += !run.good();
    if (failed > 0)
      text += fmt::format(" {}: {} of {} runs failed.", all.combinations[i].label, failed, count);
    if (!all.combinations[i].refused.empty()) text += fmt::format(" {}: refused.", all.combinations[i].label);
  }
  return text + remark(scene) + fmt::format(" [Numbers]({}.csv).\n", scene);
}

/// The picture of a study, which docs/draw.sh makes.
constexpr const char* study_section =
    "\n## A study: constraints as equations of motion\n\n"
    "![Constraints as equations of motion](constraint_dynamics.svg)\n\n"
    "`torsor batch constraint_dynamics`, then `torsor plot results/constraint_dynamics --columns error "
    "--over "
    "dynamic.rate --by dynamic.damping_ratio --log --log-over`: the distance of a spherical pendulum from a "
    "run with "
    "index-1 at a tolerance of 1e-12, over the rate at which violations of the constraint decay. "
    "[What it shows](../methods.md#constraints).\n";

constexpr const char* page_begins = "# Methods compared\n\nMade by `torsor compare --gallery`";

/// Refuses files that must not be replaced, before the hours that the comparisons take.
void check_gallery_files(const fs::path& folder, bool force) {
  for (const Section& section : sections())
    for (const std::string& scene : section.scenes) {
      io::check_overwrite(folder / (scene + ".svg"), {io::svg_mark, force});
      io::check_overwrite(folder / (scene + ".csv"), {batch::comparison_mark, force});
    }
  io::check_overwrite(folder / "README.md", {page_begins, force});
}

}  // namespace

int write_gallery(const fs::path& folder, batch::CompareOptions options, bool force, bool quiet) {
  check_gallery_files(folder, force);
  std::string page =
      std::string(page_begins) +
      ": error at the end over computing time, "
      "evaluations and step size. In the first two diagrams lower left is better. In the third, the "
      "lower line has the smaller error at the same step size. If an error changes sign between "
      "two step sizes, or if the steps are too coarse, the observed order differs from the order "
      "of the method. With coarse steps an implicit method needs more iterations, so its line may "
      "turn back.\n";
  std::error_code failure;
  fs::create_directories(folder, failure);
  for (const Section& section : sections()) {
    page += fmt::format("\n## {}\n", section.heading);
    for (const std::string& scene : section.scenes) {
      options.methods = section.methods, options.groups = section.groups,
      options.formulations = section.formulations;
      const io::TemporaryFolder work("gallery");
      options.folder = work.path();
      const batch::Comparison all = compare(scene::SceneSource(find_scene(scene)), options);
      if (Interrupts::signal() != 0) return 128 + Interrupts::signal();
      io::write_text(folder / (scene + ".svg"), comparison_svg(all), {io::svg_mark, force});
      io::write_text(folder / (scene + ".csv"), comparison_csv(all), {batch::comparison_mark, force});
      page += scene_section(scene, all);
      if (!quiet) print(fmt::format("{}\n", (folder / (scene + ".svg")).string()));
    }
  }
  page += study_section;
  page += "\n## Left out\n\n";
  for (const LeftOut& one : left_out())
    page += fmt::format("- {}: {}.\n", fmt::join(one.scenes, ", "), one.why);
  io::write_text(folder / "README.md", page, {page_begins, force});
  return success;
}

}  // namespace torsor::cli
