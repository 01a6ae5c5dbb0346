#include "definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "definition_order.hpp"
#include "table_files.hpp"
#include "units.hpp"

namespace torsor::scene {
namespace {

constexpr std::string_view reserved[] = {
    "t",    "pi",    "e",          "sin",   "cos", "tan",  "asin", "acos", "atan", "atan2",
    "sinh", "cosh",  "tanh",       "exp",   "log", "sqrt", "pow",  "abs",  "sign", "min",
    "max",  "clamp", "smoothstep", "floor", "if",  "and",  "or",   "not",  "table"};

/// Formula and SI unit of one definition, or the reason (`why`) why it cannot be read.
struct Meaning {
  Expression formula;
  std::string unit, why;
};

Meaning read(const Node& node, const Vocabulary& vocabulary) {
  const auto constant = [](double x) { return Expression({{Expression::Op::constant, x, 0}}); };
  if (const auto* integer = node.as<std::int64_t>()) return {constant(static_cast<double>(*integer)), {}, {}};
  if (const auto* number = node.as<double>()) return {constant(*number), {}, {}};
  const std::string& text = *node.as<std::string>();
  ParsedExpression parsed = parse_expression(text, vocabulary);
  if (!parsed.error.empty()) return {{}, {}, fmt::format(": cannot read \"{:.80}\": {}", text, parsed.error)};
  const std::string_view suffix = trimmed(parsed.rest);
  if (suffix.empty()) return {std::move(parsed.expression), {}, {}};
  std::vector<std::string_view> all;
  for (const Unit& unit : all_units()) {
    all.push_back(unit.suffix);
    if (unit.suffix != suffix) continue;
    return {unit.factor == 1 ? std::move(parsed.expression) : parsed.expression.scaled(unit.factor),
            std::string(unit.si),
            {}};
  }
  return {{}, {}, fmt::format(": unknown unit \"{:.20}\"{}", suffix, did_you_mean(suffix, all))};
}

}  // namespace

bool is_word(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 64 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_reserved(std::string_view name) {
  return std::find(std::begin(reserved), std::end(reserved), name) != std::end(reserved);
}

const Definitions& no_definitions() {
  static const Definitions none;
  return none;
}

namespace {

/// Reports names that are not valid. Returns whether names and values are free of errors.
bool check_names(const Node::Table& entries, Diagnostics& diagnostics) {
  bool good = true;
  for (const Entry& entry : entries) {
    good = good && !entry.value.bad && is_word(entry.key) && !is_reserved(entry.key);
    if (!is_word(entry.key))
      diagnostics.error(
          entry.key_at,
          fmt::format("\"{:.80}\" of [definitions] is not a valid name: use letters, digits and _, do not "
                      "begin with a digit, and use at most 64 characters",
                      entry.key));
    else if (is_reserved(entry.key))
      diagnostics.error(
          entry.key_at,
          fmt::format("\"{}\" of [definitions] has another meaning in formulas; choose another name",
                      entry.key));
  }
  return good;
}

/// The definitions that each definition uses.
struct Uses {
  std::vector<std::vector<int>> of;
  bool all_readable = true;
};

/// Reads every name as a variable, which shows the definitions that a definition uses.
Uses uses_in(const Node::Table& entries, TableFiles& files, Diagnostics& diagnostics) {
  Uses uses;
  std::vector<std::string> measured;
  Vocabulary names{{"t"}};
  names.measured = &measured;
  names.files = &files;
  for (const Entry& entry : entries) names.variables.push_back(entry.key);
  const auto known = static_cast<int>(names.variables.size());
  for (const Entry& entry : entries) {
    const Meaning meaning = read(entry.value, names);
    if (!meaning.why.empty()) {
      diagnostics.error(entry.value.at, fmt::format("\"{}\" of [definitions]{}", entry.key, meaning.why));
      uses.all_readable = false;
    }
    auto& others = uses.of.emplace_back();
    for (const Expression::Step& step : meaning.formula.steps())
      if (step.op == Expression::Op::variable && step.index > 0 && step.index < known)
        others.push_back(step.index - 1);
  }
  return uses;
}

}  // namespace

Definitions::Definitions(const Node& document, Diagnostics& diagnostics, const std::string& folder,
                         std::map<std::string, std::string> tables)
    : files_(std::make_shared<TableFiles>(folder, document, std::move(tables))),
      measured_(std::make_shared<std::vector<std::string>>()) {
  of_time_.measured = measured_.get();
  of_time_.files = files_.get();
  const Node* table = document.find("definitions");
  const auto* entries = table ? table->as<Node::Table>() : nullptr;
  if (!entries) return;
  if (entries->size() > most)
    diagnostics.throw_limit((*entries)[most].key_at,
                            fmt::format("more than {} definitions, the limit of a scene", most));

  if (!check_names(*entries, diagnostics) || table->bad) diagnostics.throw_if_any();
  const auto uses = uses_in(*entries, *files_, diagnostics);
  const auto order = definition_order(*entries, uses.of, "[definitions]", diagnostics);
  if (!uses.all_readable || !order) diagnostics.throw_if_any();

  for (const int i : *order) {
    const Entry& entry = (*entries)[i];
    Meaning last = read(entry.value, of_time_);
    if (last.why.empty() && last.formula.is_constant()) {
      const double value = last.formula.value(0);
      if (!std::isfinite(value)) last.why = ": its value is not finite";
      last.formula = Expression({{Expression::Op::constant, value, 0}});
      of_copies_.definitions.emplace_back(entry.key, last.formula);
    }
    if (!last.why.empty())
      diagnostics.throw_error(entry.value.at, fmt::format("\"{}\" of [definitions]{}", entry.key, last.why));
    of_time_.definitions.emplace_back(entry.key, std::move(last.formula));
    units_.emplace(entry.key, std::move(last.unit));
  }
}

const std::vector<std::string>& Definitions::measured() const {
  static const std::vector<std::string> none;
  return measured_ ? *measured_ : none;
}

const std::map<std::string, std::string>& Definitions::files() const {
  static const std::map<std::string, std::string> none;
  return files_ ? files_->texts() : none;
}

const std::string* Definitions::measured_in(const Expression& formula) const {
  for (const Expression::Step& step : formula.steps())
    if (step.op == Expression::Op::variable && step.index > 0) return &measured()[step.index - 1];
  return nullptr;
}

const std::string* Definitions::unit_of(std::string_view formula) const {
  formula = trimmed(formula);
  if (formula.starts_with('-')) formula = trimmed(formula.substr(1));
  const auto found = units_.find(std::string(formula));
  return found == units_.end() || found->second.empty() ? nullptr : &found->second;
}

}  // namespace torsor::scene
