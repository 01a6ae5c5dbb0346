#include "identity.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

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
  if (scene.run.constraints) line("constraints", std::string(to_string(*scene.run.constraints)));
  if (scene.run.step) line("step", fmt::format("{}", *scene.run.step));
  if (scene.run.tolerance) line("tolerance", fmt::format("{}", *scene.run.tolerance));
  const io::Provenance made = io::provenance();
  line("version", made.version);
  line("git", made.git);
  line("compiler", made.compiler);
  line("instruction_set", made.instruction_set);
  return text;
}

}  // namespace

Ledger::Facts study_facts(const Study& study, const FirstCase& first, int shard, int shards) {
  const io::Provenance made = io::provenance();
  return {{"format", "torsor/ledger/3"},
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
}

std::vector<std::string> differences(const Ledger::Facts& then, const Ledger::Facts& now) {
  std::vector<std::string> all;
  const auto differ = [&](const char* name) { return then.at(name) != now.at(name); };
  if (differ("study_hash")) all.push_back("the study was edited");
  if (differ("scene_hash")) all.push_back("the scene was edited");
  if (differ("program") || differ("build"))
    all.push_back(fmt::format("it was begun by another program: {}", then.at("build")));
  return all;
}

}  // namespace torsor::batch
