#include "coordinate_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "dense.hpp"
#include "scene/language/definition_order.hpp"
#include "scene/language/units.hpp"

namespace torsor::scene {
Expression constant_formula(double x) { return Expression({{Expression::Op::constant, x, 0}}); }

void reading_error(const TableReader& table, const Node& node, const std::string& message) {
  table.diagnostics().error(node.at, message);
}

CoordinateReader::CoordinateReader(Reading& reading) : reading_(reading), table_(reading.section("chart")) {
  if (table_.readable("coordinates")) {
    for (const Node& entry : *table_.find("coordinates")->as<Node::Array>()) {
      coordinates_.push_back(*entry.as<std::string>());
      take_name(coordinates_.back(), entry.at, "a coordinate");
    }
  }
  vocabulary_.variables = coordinates_;
  vocabulary_.variables.push_back("t");
  vocabulary_.coordinates = size();
  for (const std::string& name : coordinates_) vocabulary_.variables.push_back(name + "'");
  take_definitions();
  start_ = Vec::Zero(2 * size() + 1);
  start_[size()] = reading.begin;
}

std::vector<TableReader> CoordinateReader::tables(const std::string& key) const {
  std::vector<TableReader> all;
  const Node* array = table_.readable(key) ? table_.find(key) : nullptr;
  if (!array) return all;
  const Rule& rule = *scene_rule().property("chart")->property(key)->items;
  for (const Node& table : *array->as<Node::Array>()) {
    const Node* name = table.find("name");
    const auto* text = name ? name->as<std::string>() : nullptr;
    all.emplace_back(
        &table, rule,
        text ? fmt::format("{} \"{}\" of [chart]", key, *text) : fmt::format("a [[chart.{}]]", key),
        reading_.begin, reading_.diagnostics, reading_.definitions);
  }
  return all;
}

bool CoordinateReader::take_name(const std::string& name, const Position& at, const std::string& what) {
  if (!is_word(name))
    reading_.diagnostics.error(at,
                               fmt::format("\"{:.80}\" is not a valid name for {}: use letters, digits and "
                                           "_, do not begin with a digit, and use at most 64 characters",
                                           name, what));
  else if (is_reserved(name))
    reading_.diagnostics.error(
        at, fmt::format("\"{}\" has another meaning in formulas; choose another name for {}", name, what));
  else if (reading_.definitions.has(name))
    reading_.diagnostics.error(at, fmt::format("the name \"{}\" is already used in [definitions]", name));
  else if (!names_.add(name))
    reading_.diagnostics.error(at, fmt::format("the name \"{}\" is already used in [chart]", name));
  else
    return true;
  return false;
}

void CoordinateReader::take_definitions() {
  for (const auto& [name, of_time] : reading_.definitions.of_time().definitions) {
    auto steps = of_time.steps();
    for (Expression::Step& step : steps)  // t comes after the coordinates, and the rates after t
      if (step.op == Expression::Op::variable) step.index += step.index == 0 ? size() : 2 * size();
    vocabulary_.definitions.emplace_back(name, Expression(std::move(steps), of_time.tables()));
  }
}

const Node::Table* CoordinateReader::entries(const std::string& key) const {
  return table_.readable(key) ? table_.find(key)->as<Node::Table>() : nullptr;
}

namespace {

/// The indices of the definitions whose names occur in a formula.
std::vector<int> uses_of(const Node& formula, const std::unordered_map<std::string_view, int>& places) {
  std::vector<int> all;
  const auto* text = formula.as<std::string>();
  const auto of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::string_view rest = text ? *text : std::string_view(); !rest.empty();) {
    const auto begin = std::find_if(rest.begin(), rest.end(), of_name);
    const auto end = std::find_if_not(begin, rest.end(), of_name);
    const auto found = places.find(std::string_view(begin, end));
    if (found != places.end()) all.push_back(found->second);
    rest = std::string_view(end, rest.end());
  }
  return all;
}

}  // namespace

void CoordinateReader::read_definitions() {
  const Node::Table* all = entries("definitions");
  if (!all) return;
  if (all->size() > Definitions::most)
    reading_.diagnostics.throw_limit(
        (*all)[Definitions::most].key_at,
        fmt::format("more than {} definitions, the limit of a scene", Definitions::most));
  std::unordered_map<std::string_view, int> places;
  for (const Entry& entry : *all) places.emplace(entry.key, static_cast<int>(places.size()));
  std::vector<std::vector<int>> uses;
  for (const Entry& entry : *all) uses.push_back(uses_of(entry.value, places));
  const auto order = definition_order(*all, uses, "\"definitions\" of [chart]", reading_.diagnostics);
  if (!order) reading_.diagnostics.throw_if_any();  // every use of a definition would be another error
  for (const int i : *order) {
    const Entry& entry = (*all)[i];
    if (!take_name(entry.key, entry.key_at, "a definition") || entry.value.bad) continue;
    Expression formula =
        this->formula(entry.value, fmt::format("\"{}\" of \"definitions\" of [chart]", entry.key), Kind::any);
    vocabulary_.definitions.emplace_back(entry.key, std::move(formula));
  }
}

Vec CoordinateReader::read_start() {
  start_.head(size()) = numbers("start").value_or(Vec::Zero(size()));
  return start_.head(size());
}

std::vector<std::string> CoordinateReader::read_quasi_velocities(Formulas& formulas) {
  const Node::Table* all = entries("quasi_velocities");
  std::vector<std::string> names;
  if (!all) return names;
  if (all->size() != coordinates_.size())
    table_.error("quasi_velocities", fmt::format("\"quasi_velocities\" of [chart]: {} for {} coordinate{}",
                                                 all->size(), size(), size() == 1 ? "" : "s"));
  for (const Entry& entry : *all) {
    if (!take_name(entry.key, entry.key_at, "a quasi-velocity") || entry.value.bad) continue;
    names.push_back(entry.key);
    formulas.velocities.push_back(formula(
        entry.value, fmt::format("\"{}\" of \"quasi_velocities\" of [chart]", entry.key), Kind::linear));
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    vocabulary_.definitions.emplace_back(names[i], formulas.velocities[i]);
  if (!reading_.diagnostics.empty()) return names;
  const Eigen::MatrixXd B = coefficients(formulas.velocities);
  if (!B.allFinite())
    table_.error("quasi_velocities", "\"quasi_velocities\" of [chart] are not finite at the start");
  else if (const auto rank = linear::rank(B); rank < size())
    table_.error(
        "quasi_velocities",
        fmt::format("\"quasi_velocities\" of [chart] are not independent at the start: rank {} of {}", rank,
                    size()));
  return names;
}

void CoordinateReader::start_at(const State& start) {
  start_.head(size()) = start.q;
  start_.tail(size()) = start.v;
  started_ = true;
}

/// The angle of 12.9898 rad is not a rational part of a turn, so no two offsets are equal.
Vec CoordinateReader::near_start(int k) const {
  Vec near = start_;
  for (Eigen::Index j = 0; j < near.size(); ++j)
    near[j] += k * 0.05 * sin_cos(12.9898 * static_cast<double>(j + 1) * k).sin;
  return near;
}

std::string CoordinateReader::place(const Vec& variables) const {
  std::string text;
  for (int i = 0; i <= size(); ++i)
    text += fmt::format("{}{} = {:.6g}", i == 0 ? " at " : ", ",
                        vocabulary_.variables[static_cast<std::size_t>(i)], variables[i]);
  return text;
}

/// Why a formula does not fit its kind; empty if it does.
std::string CoordinateReader::why_not(const Expression& formula, Kind kind) const {
  using Degree = Expression::Degree;
  const Degree degree = formula.degree(size() + 1, 2 * size() + 1);
  if (kind == Kind::of_place && degree != Degree::none) return "cannot depend on rates";
  if (kind == Kind::affine && degree == Degree::higher)
    return "must be linear in the rates, plus an optional part without rates";
  if (kind == Kind::linear && degree != Degree::linear) return "must be linear in the rates";
  return {};
}

Expression CoordinateReader::read(const std::string& text, Kind kind, std::string_view unit,
                                  std::string& why) const {
  ParsedExpression parsed = parse_expression(text, vocabulary_);
  const std::string_view rest = trimmed(parsed.rest);
  if (!parsed.error.empty()) {
    why = fmt::format(": cannot read \"{:.80}\": {}", text, parsed.error);
  } else if (!rest.empty() && unit.empty()) {
    why = fmt::format(": cannot read \"{:.80}\": unexpected \"{:.20}\"", text, rest);
  } else if (!rest.empty()) {
    const auto found = unit_factor(rest, unit);
    if (const auto* problem = std::get_if<std::string>(&found)) return why = *problem, constant_formula(0);
    parsed.expression = parsed.expression.scaled(std::get<double>(found));
  }
  if (!why.empty()) return constant_formula(0);
  if (const std::string wrong = why_not(parsed.expression, kind); !wrong.empty())
    why = fmt::format(" {}, got \"{:.80}\"", wrong, text);
  else if (started_ && !std::isfinite(at_start(parsed.expression)))
    why = fmt::format(": \"{:.80}\" is not finite at the start", text);
  return why.empty() ? std::move(parsed.expression) : constant_formula(0);
}

Expression CoordinateReader::formula(const Node& node, const std::string& where, Kind kind,
                                     std::string_view unit) const {
  if (const auto* integer = node.as<std::int64_t>()) return constant_formula(static_cast<double>(*integer));
  if (const auto* number = node.as<double>()) return constant_formula(*number);
  const auto* text = node.as<std::string>();
  if (!text || node.bad) return constant_formula(0);
  std::string why;
  Expression formula = read(*text, kind, unit, why);
  if (!why.empty()) reading_.diagnostics.error(node.at, where + why);
  return formula;
}

std::vector<Expression> CoordinateReader::formulas(const std::string& key, Kind kind) const {
  std::vector<Expression> all;
  if (!table_.readable(key)) return all;
  const auto& entries = *table_.find(key)->as<Node::Array>();
  if (entries.size() != coordinates_.size()) {
    table_.error(key, fmt::format("\"{}\" of [chart] must have {} element{}, one for each coordinate, got {}",
                                  key, size(), size() == 1 ? "" : "s", entries.size()));
    return all;
  }
  for (const Node& entry : entries)
    all.push_back(formula(entry, fmt::format("\"{}\" of [chart]", key), kind));
  return all;
}

std::optional<Vec> CoordinateReader::numbers(std::string_view key) const {
  const auto all = formulas(std::string(key), Kind::any);
  if (static_cast<int>(all.size()) != size()) return std::nullopt;
  Vec values(size());
  for (int i = 0; i < size(); ++i) {
    const Expression& formula = all[static_cast<std::size_t>(i)];
    values[i] = at_start(formula);
    if (formula.is_constant() && std::isfinite(values[i])) continue;
    const Node& entry = table_.find(key)->as<Node::Array>()->at(static_cast<std::size_t>(i));
    const auto* text = entry.as<std::string>();
    reading_error(table_, entry,
                  fmt::format("\"{}\" of [chart] must be numbers{}", key,
                              text ? fmt::format(", but \"{:.80}\" {}", *text,
                                                 formula.is_constant() ? "is not finite"
                                                                       : "depends on t, coordinates or rates")
                                   : ""));
    return std::nullopt;
  }
  return values;
}

Eigen::MatrixXd CoordinateReader::coefficients(const std::vector<Expression>& linear) const {
  Formulas formulas;
  formulas.n = size();
  formulas.velocities = linear;
  const FormulaFields fields(std::make_shared<const Formulas>(std::move(formulas)));
  return fields.velocities<double>(start_.head(size() + 1));
}

int CoordinateReader::coordinate(const TableReader& table, std::string_view key) const {
  const std::string name = table.text(key);
  const auto found = std::find(coordinates_.begin(), coordinates_.end(), name);
  if (found != coordinates_.end()) return static_cast<int>(found - coordinates_.begin());
  table.error(key, [&] {
    return fmt::format("\"{}\" of {}: unknown coordinate \"{}\"{}", key, table.where(), name,
                       did_you_mean(name, {coordinates_.begin(), coordinates_.end()}));
  });
  return 0;
}

}  // namespace torsor::scene
