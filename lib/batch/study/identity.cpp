#include "identity.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "io/motion_kind.hpp"
#include "io/provenance.hpp"
#include "io/results/digest.hpp"
#include "io/tables/csv_row.hpp"
#include "scene/source.hpp"

namespace torsor::batch {
namespace {

/// The file that contains this code: the command, or a library such as the Python module. It is found when
/// the code is loaded, since the name of a library may be relative to the working folder of that time.
const std::filesystem::path program = [] {
  ::Dl_info info;
  void* object = nullptr;
  ::dladdr1(&program, &info, &object, RTLD_DL_LINKMAP);
  // For the command, the dynamic linker has no name, and dladdr gives argv[0], which need not lead to the
  // file.
  const char* library = object != nullptr ? static_cast<const ::link_map*>(object)->l_name : "";
  std::error_code failure;
  return std::filesystem::absolute(*library != '\0' ? library : "/proc/self/exe", failure);
}();

/// The hash of the program. Two builds of the same sources may differ.
std::string program_hash() {
  const io::InputFile file(program);
  return io::content_hash(file.descriptor(), std::filesystem::file_size(program), program);
}

/// The comments at the head of a table. They do not depend on how the batch is run (threads, shards). A
/// setting that parameters vary has a column instead of a comment.
std::string heading(const Study& study, const FirstCase& first) {
  const scene::Scene& scene = first.scene;
  std::string text;
  const auto line = [&text](std::string_view name, std::string value) {
    text += io::comment(name, std::move(value));
  };
  const auto varies = [&study](std::string_view key) {
    return std::any_of(study.parameters.begin(), study.parameters.end(),
                       [&key](const Parameter& one) { return one.key == fmt::format("integrator.{}", key); });
  };
  line("study", study.name);
  if (!study.title.empty()) line("title", study.title);
  line("scene", scene.name);
  line("cases", fmt::format("{}", study.cases()));
  line("seed", fmt::format("{}", study.seed));
  // If the scene gives no method, its connection selects one.
  if (!varies("method") && !varies("connection")) line("method", scene.run.method);
  if (const io::MotionKind& kind = io::motion_kind(scene); !kind.in_coordinates)
    for (const auto& [name, value] : kind.form(scene))
      if (!varies(name)) line(name, std::string(value));
  if (scene.run.constraints && !varies("constraints"))
    line("treatment", std::string(to_string(*scene.run.constraints)));
  if (scene.run.step && !varies("step")) line("step", fmt::format("{}", *scene.run.step));
  if (scene.run.tolerance && !varies("tolerance")) line("tolerance", fmt::format("{}", *scene.run.tolerance));
  if (first.reference && !first.reference->note.empty())
    line("note", fmt::format("the reference run of [keep]: {}", first.reference->note));
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

std::filesystem::path scene_folder(const Study& study) {
  std::error_code failure;
  return std::filesystem::weakly_canonical(std::filesystem::path(study.scene.folder()) / ".", failure);
}

/// The libraries of plugins that cases may load, with their hashes; empty if there are none. Names are
/// relative to the folder of the scene.
std::string plugins_of(const Study& study, const scene::Scene& first) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::path folder = scene_folder(study);
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

/// Each NAME in table("NAME", ...) in a text of TOML, in which a quote may follow a backslash.
std::set<std::string> table_names(std::string_view text) {
  std::set<std::string> names;
  const auto skip = [&text](std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
  };
  constexpr std::string_view word = "table";
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word)) {
    text.remove_prefix(at + word.size());
    skip(" \t");
    if (!text.starts_with('(')) continue;
    skip("( \t\\");
    if (!text.starts_with('"') && !text.starts_with('\'')) continue;
    const char ends[] = {text.front(), '\\', '\n'};
    text.remove_prefix(1);
    names.emplace(text.substr(0, text.find_first_of({ends, sizeof ends})));
  }
  return names;
}

/// The files that the name in a table may mean. A repetition replaces a part in braces by a number; here a
/// part in braces stands for any text.
std::vector<std::string> files_called(const std::string& name, const std::filesystem::path& folder) {
  if (name.find('{') == name.npos) return {name};
  std::string pattern;
  const auto add = [&pattern](char c) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  };
  // Braces in the name of the folder stand for themselves.
  for (const char c : (folder / "").string()) add(c);
  bool in_braces = false;
  for (const char c : name) {
    if (c == '{' && !in_braces)
      pattern += '*';
    else if (!in_braces)
      add(c);
    in_braces = c != '}' && (in_braces || c == '{');
  }
  std::vector<std::string> files;
  ::glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i)
      files.push_back(std::filesystem::path(found.gl_pathv[i]).lexically_relative(folder).string());
  ::globfree(&found);
  return files;
}

/// The text of the file of a table; empty if it cannot be read. The case that reads the file reports this
/// error.
std::string table_text(const std::filesystem::path& file) try {
  return scene::read_text(file.string(), "table");
} catch (const scene::SceneError&) {
  return {};
}

/// The files that the tables of all cases may read, with their hashes; empty if there are none. The first
/// case reads some; the texts of the study and of its scene name all of them.
std::string files_of(const Study& study, const scene::Scene& first) {
  std::map<std::string, std::string> hashes;
  for (const auto& [name, content] : first.files) hashes[name] = io::content_hash(content);
  const std::filesystem::path folder = scene_folder(study);
  for (const std::string_view text : {std::string_view(study.text), std::string_view(study.scene.text())})
    for (const std::string& name : table_names(text))
      for (const std::string& file : files_called(name, folder))
        if (!hashes.contains(file)) hashes[file] = io::content_hash(table_text(folder / file));
  std::string text;
  for (const auto& [name, hash] : hashes) text += fmt::format("{} {}\n", name, hash);
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
      {"heading", heading(study, first)},
      {"build", fmt::format("torsor {} ({}, {}, {}, {}, {})", made.version, made.git, made.compiler,
                            made.build_type, made.instruction_set, made.libm)},
      {"program", program_hash()}};
  if (std::string plugins = plugins_of(study, first.scene); !plugins.empty())
    facts.emplace("plugins", std::move(plugins));
  if (std::string files = files_of(study, first.scene); !files.empty())
    facts.emplace("files", std::move(files));
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
