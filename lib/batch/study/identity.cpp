#include "identity.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "io/motion_kind.hpp"
#include "io/provenance.hpp"
#include "io/results/digest.hpp"
#include "io/tables/csv_row.hpp"

namespace torsor::batch {
namespace {

/// The hash of the running program. Two builds of the same sources may differ.
std::string program_hash() {
  const std::filesystem::path program = "/proc/self/exe";
  std::string bytes(std::filesystem::file_size(program), '\0');
  std::ifstream(program, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return io::content_hash(bytes);
}

/// The comments at the head of a table. They do not depend on how the batch is run (threads, shards).
std::string heading(const Study& study, const scene::Scene& scene) {
  std::string text;
  const auto line = [&text](std::string_view name, std::string value) {
    text += io::comment(name, std::move(value));
  };
  line("study", study.name);
  if (!study.title.empty()) line("title", study.title);
  line("scene", scene.name);
  line("cases", fmt::format("{}", study.cases()));
  line("seed", fmt::format("{}", study.seed));
  line("method", scene.run.method);
  if (const io::MotionKind& kind = io::motion_kind(scene); !kind.in_coordinates)
    for (const auto& [name, value] : kind.form(scene)) line(name, std::string(value));
  if (scene.run.constraints) line("treatment", std::string(to_string(*scene.run.constraints)));
  if (scene.run.step) line("step", fmt::format("{}", *scene.run.step));
  if (scene.run.tolerance) line("tolerance", fmt::format("{}", *scene.run.tolerance));
  const io::Provenance made = io::provenance();
  line("version", made.version);
  line("git", made.git);
  line("compiler", made.compiler);
  line("instruction_set", made.instruction_set);
  return text;
}

/// The contents of a file; empty if it is not a regular file. The case that loads the file reports this
/// error.
std::string bytes_of(const std::filesystem::path& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return {};
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The libraries of plugins that cases may load, with their hashes; empty if there are none. Names are
/// relative to the folder of the scene.
std::string plugins_of(const Study& study, const scene::Scene& first) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::path folder = fs::weakly_canonical(fs::path(study.scene.file()).parent_path() / ".", failure);
  std::set<fs::path> files(first.plugins.begin(), first.plugins.end());
  for (const Parameter& parameter : study.parameters)
    if (const auto* list = std::get_if<ValueList>(&parameter.law);
        list && parameter.key.ends_with(".library"))
      for (const Value& value : list->values)
        if (const auto* name = std::get_if<std::string>(&value.cells.front()))
          files.insert(fs::weakly_canonical(folder / *name, failure));
  for (const auto& [key, value] : study.keep.reference)
    if (key.ends_with(".library")) {
      const bool quoted = value.size() > 1 && (value.front() == '"' || value.front() == '\'');
      files.insert(
          fs::weakly_canonical(folder / (quoted ? value.substr(1, value.size() - 2) : value), failure));
    }
  std::string text;
  for (const fs::path& file : files)
    text +=
        fmt::format("{} {}\n", file.lexically_relative(folder).string(), io::content_hash(bytes_of(file)));
  return text;
}

/// The files that the tables of a scene read, with their hashes; empty if there are none.
std::string files_of(const scene::Scene& first) {
  std::string text;
  for (const auto& [name, content] : first.files)
    text += fmt::format("{} {}\n", name, io::content_hash(content));
  return text;
}

}  // namespace

Ledger::Facts study_facts(const Study& study, const FirstCase& first, int shard, int shards) {
  const io::Provenance made = io::provenance();
  Ledger::Facts facts = {
      {"format", "torsor/ledger/3"},
      {"study", study.name},
      {"study_text", study.text},
      {"scene_text", study.scene.text()},
      {"study_hash", io::content_hash(study.text)},
      {"scene_hash", io::content_hash(study.scene.text())},
      {"cases", fmt::format("{}", study.cases())},
      {"shard", fmt::format("{}", shard)},
      {"shards", fmt::format("{}", shards)},
      {"statistics", study.keep.statistics ? "1" : "0"},
      {"heading", heading(study, first.scene)},
      {"build", fmt::format("torsor {} ({}, {}, {}, {}, {})", made.version, made.git, made.compiler,
                            made.build_type, made.instruction_set, made.libm)},
      {"program", program_hash()}};
  if (std::string plugins = plugins_of(study, first.scene); !plugins.empty())
    facts.emplace("plugins", std::move(plugins));
  if (std::string files = files_of(first.scene); !files.empty()) facts.emplace("files", std::move(files));
  return facts;
}

std::vector<std::string> differences(const Ledger::Facts& then, const Ledger::Facts& now) {
  std::vector<std::string> all;
  const auto fact = [](const Ledger::Facts& facts, const char* name) {
    const auto found = facts.find(name);
    return found == facts.end() ? std::string() : found->second;
  };
  const auto differ = [&](const char* name) { return fact(then, name) != fact(now, name); };
  if (differ("study_hash")) all.push_back("the study was edited");
  if (differ("scene_hash")) all.push_back("the scene was edited");
  if (differ("files")) all.push_back("a file of a table was changed");
  if (differ("plugins")) all.push_back("the library of a plugin was changed");
  if (differ("program") || differ("build"))
    all.push_back(fmt::format("it was begun by another program: {}", then.at("build")));
  return all;
}

}  // namespace torsor::batch
