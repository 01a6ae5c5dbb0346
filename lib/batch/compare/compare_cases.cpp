#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "batch/ledger/ledger.hpp"
#include "batch/ledger/set_aside.hpp"
#include "compare_parts.hpp"
#include "io/result.hpp"

namespace torsor::batch {
namespace {

/// Whether a comparison made the ledger. Its study has a list of keys as its text; the text of a study that
/// was read from a file is TOML, with at least one "=".
bool is_comparison(const Ledger& ledger) {
  return ledger.fact("study") == "compare" && ledger.fact("study_text").find('=') == std::string::npos;
}

/// Throws std::invalid_argument if the folder holds another batch, and DamagedDatabase if the ledger cannot
/// be read.
void check_cases(const std::filesystem::path& cases) {
  if (Ledger::exists_in(cases) && !is_comparison(Ledger(cases, Database::Access::read)))
    throw std::invalid_argument(
        fmt::format("{} holds a batch that is not from a comparison; choose another folder", cases.string()));
}

}  // namespace

void refuse_other_batch(const std::filesystem::path& cases) try {
  check_cases(cases);
} catch (const DamagedDatabase&) {  // fresh_cases renames the file
}

std::filesystem::path fresh_cases(const std::filesystem::path& folder) {
  auto cases = folder / "cases";
  const io::ResultFolder locked(cases);
  if (!Ledger::exists_in(cases)) return cases;
  try {
    check_cases(cases);
    remove_batch(cases);
  } catch (const DamagedDatabase&) {  // the ledger is damaged, or the file is not a ledger
    set_ledger_aside(cases);
  }
  return cases;
}

namespace {

/// In what two starts of a body differ by more than rounding; null if in nothing.
const char* what_differs(const BodyMotion& a, const BodyMotion& b) {
  constexpr double rounding = 1e-9;  // relative
  const auto same = [](const Vec3& of_a, const Vec3& of_b) {
    return (of_a - of_b).norm() <= rounding * (1 + of_a.norm());
  };
  if (!same(a.x, b.x)) return "position";
  if (!((a.R.inverse() * b.R).log().norm() <= rounding)) return "attitude";
  if (!same(a.v, b.v)) return "velocity";
  return same(a.Omega, b.Omega) ? nullptr : "angular velocity";
}

bool gives_rates_of_free_joint(const scene::Scene& scene) {
  for (std::size_t j = 0; j < scene.start.joints.size(); ++j)
    if (scene.mechanism.joints[j].kind == JointKind::free && scene.start.joints[j].v) return true;
  return false;
}

}  // namespace

std::string why_other_motion(const scene::SceneSource& source, const std::string& group) try {
  const scene::Scene own = source.scene(), other = source.scene({{"integrator.group", group}});
  if (own.in_coordinates || own.group == other.group) return {};
  const auto start = [](const scene::Scene& scene) {
    return run_at_start(scene, prepare(scene)).samples.front().bodies;
  };
  const std::vector<BodyMotion> a = start(own), b = start(other);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char* const what = what_differs(a[i], b[i]);
    if (!what) continue;
    return fmt::format(
        "body \"{}\" starts with another {} in this group, so it would be another motion: {}",
        own.mechanism.bodies[i].name, what,
        gives_rates_of_free_joint(own)
            ? "the axes of the \"rates\" of a free joint depend on the group; give the velocity "
              "of its body in place of \"rates\""
            : "what the scene does not give, or \"project\" moves, is found along the curves of "
              "the group; give a whole and consistent start");
  }
  return {};
} catch (const std::exception&) {  // why_refused tells
  return {};
}

}  // namespace torsor::batch
