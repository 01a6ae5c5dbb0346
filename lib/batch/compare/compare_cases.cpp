#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "batch/ledger/ledger.hpp"
#include "batch/ledger/set_aside.hpp"
#include "compare_parts.hpp"
#include "io/result.hpp"

namespace torsor::batch {
namespace {

/// Whether a comparison made the ledger. Its study has a list of keys as its text; the text of a study that was read
/// from a file is TOML, with at least one "=".
bool is_comparison(const Ledger& ledger) {
  return ledger.fact("study") == "compare" && ledger.fact("study_text").find('=') == std::string::npos;
}

}  // namespace

void refuse_other_batch(const std::filesystem::path& cases) try {
  if (Ledger::exists_in(cases) && !is_comparison(Ledger(cases, Database::Access::read)))
    throw std::invalid_argument(
        fmt::format("{} holds a batch that is not from a comparison; choose another folder", cases.string()));
} catch (const DamagedDatabase&) {  // fresh_cases keeps the file
}

std::filesystem::path fresh_cases(const std::filesystem::path& folder) {
  auto cases = folder / "cases";
  const io::ResultFolder locked(cases);
  if (!Ledger::exists_in(cases)) return cases;
  refuse_other_batch(cases);
  try {
    const Ledger readable(cases, Database::Access::read);
  } catch (const DamagedDatabase&) {  // or the file is not a ledger
    set_ledger_aside(cases);
    return cases;
  }
  remove_batch(cases);
  return cases;
}

}  // namespace torsor::batch
