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

std::string why_other_motion(const scene::Scene& scene, const std::string& group) {
  if (group.empty() || scene.in_coordinates || group == to_string(scene.group)) return {};
  for (std::size_t i = 0; i < scene.start.joints.size(); ++i)
    if (const Joint& joint = scene.mechanism.joints[i];
        joint.kind == JointKind::free && scene.start.joints[i].v && !scene.start.joints[i].v->isZero(0))
      return fmt::format(
          "the first three \"rates\" of the free joint \"{}\" have other axes in this group, so it would be "
          "another motion; give the velocity of its body in place of \"rates\"",
          joint.name);
  return {};
}

}  // namespace torsor::batch
