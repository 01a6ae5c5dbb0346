#include <utility>

#include "manual.hpp"
#include "scene_files.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::cli {
namespace {

/// Collects the candidates that begin with the text already typed.
class Candidates {
 public:
  explicit Candidates(std::string begun) : begun_(std::move(begun)) {}

  void add(const std::string& word, const std::string& meaning = "") {
    if (word.starts_with(begun_)) text += word + (meaning.empty() ? "" : '\t' + meaning) + '\n';
  }
  void add_verbs(const CLI::App& app) {
    for (const CLI::App* verb : app.get_subcommands({})) add(verb->get_name(), verb->get_description());
  }
  void add_options(const CLI::App& verb) {
    for (const CLI::Option* option : verb.get_options())
      for (const std::string& name : option->get_lnames()) add("--" + name, option->get_description());
  }
  void add_files(const std::vector<std::filesystem::path>& named) {
    for (const auto& file : named) add(file.stem().string());
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(".", failure))
      if (entry.path().extension() == ".toml") add(entry.path().filename().string());
  }

  std::string text;

 private:
  std::string begun_;
};

const CLI::App* verb_of(const CLI::App& app, const std::string& name) {
  for (const CLI::App* verb : app.get_subcommands({}))
    if (verb->get_name() == name) return verb;
  return nullptr;
}

/// The words that an option permits, if it has a fixed list: h5 and csv for "LIST:{h5,csv}".
std::vector<std::string> choices(const CLI::Option& option, const std::string& name) {
  std::vector<std::string> all;
  if (name == "--methods") {
    for (const MethodInfo& method : methods()) all.emplace_back(method.name);
    return all;
  }
  const std::string type = option.get_type_name();
  const std::size_t open = type.find(":{");
  if (open == std::string::npos) return all;
  std::string word;
  for (const char c : type.substr(open + 2))
    if (c == ',' || c == '}')
      all.push_back(std::exchange(word, ""));
    else
      word += c;
  return all;
}

/// Adds the values of an option. In a list, the text after the last comma is completed.
void add_values(const CLI::Option& option, const std::string& name, const std::string& begun,
                Candidates& candidates) {
  const std::size_t comma = option.get_delimiter() == ',' ? begun.rfind(',') : std::string::npos;
  const std::string before = comma == std::string::npos ? "" : begun.substr(0, comma + 1);
  for (const std::string& word : choices(option, name)) candidates.add(before + word);
}

/// Adds the candidates for positional arguments.
void add_positional(const CLI::App& app, const CLI::App& verb, Candidates& candidates) {
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional()) continue;
    const std::string noun = option->get_single_name();
    if (noun == "SCENE") candidates.add_files(named_scenes());
    if (noun == "STUDY") candidates.add_files(named_studies());
    if (noun == "COMMAND") candidates.add_verbs(app);
  }
}

}  // namespace

std::string completions(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string begun = words.empty() ? "" : words.back();
  Candidates candidates(begun);
  const CLI::App* verb = words.size() > 1 ? verb_of(app, words.front()) : nullptr;
  if (words.size() <= 1) {
    candidates.add_verbs(app);
    if (begun.starts_with('-')) candidates.add_options(app);
  } else if (verb) {
    const std::string& before = words[words.size() - 2];
    const CLI::Option* option = before.starts_with('-') ? verb->get_option_no_throw(before) : nullptr;
    if (option && option->get_items_expected_max() > 0)
      add_values(*option, before, begun, candidates);
    else if (begun.starts_with('-'))
      candidates.add_options(*verb);
    else
      add_positional(app, *verb, candidates);
  }
  return candidates.text;
}

}  // namespace torsor::cli
