#include "table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "run/plain_text.hpp"
#include "scene/language/expression.hpp"
#include "scene/language/units.hpp"

namespace torsor::scene {
namespace {

bool is_array(const Node& node) { return node.as<Node::Array>() != nullptr; }

TimeFunction function_of_time(Expression expression, double factor, const std::string& text) {
  const auto shared = std::make_shared<const Expression>(std::move(expression));
  return {[shared, factor](double t) -> TimeFunction::Value {
            const Taylor<double, 2> f = (*shared)(t);
            return {factor * f[0], factor * f[1], factor * (2 * f[2])};
          },
          text};
}

/// A formula of t (variable 0) and of quantities of the motion (the other variables) as a function of the
/// state.
TimeFunction function_of_state(Expression expression, std::vector<Measured> inputs, double factor,
                               const std::string& text) {
  StateFunction function;
  function.inputs = std::move(inputs);
  function.kinks = expression.kinks();
  const auto is_function = [](const Measured& input) {
    return input.quantity == Measured::Quantity::function;
  };
  function.of_time = expression.has_variable(0, 1) ||
                     std::any_of(function.inputs.begin(), function.inputs.end(), is_function);
  const auto shared = std::make_shared<const Expression>(std::move(expression));
  function.function = [shared, factor](const double* y, const signed char* sides, double* switching) {
    return factor * shared->at(y, sides, switching);
  };
  function.rate = [shared, factor, count = function.inputs.size() + 1](const double* y, const double* y_rate,
                                                                       const signed char* sides) {
    thread_local std::vector<Dual<double>> along;  // threads may share a model
    along.resize(count);
    for (std::size_t i = 0; i < count; ++i) along[i] = {y[i], y_rate[i]};
    return factor * shared->at<Dual<double>>(along.data(), sides, nullptr).derivative;
  };
  return {std::move(function), text};
}

/// The factor to SI of the unit after a formula, or the reason why there is none.
std::variant<double, std::string> factor_of(const Definitions& definitions, const ParsedExpression& parsed,
                                            std::string_view text, std::string_view unit) {
  const std::string_view suffix = trimmed(parsed.rest),
                         formula = trimmed(text.substr(0, text.size() - parsed.rest.size()));
  const std::string* own = definitions.unit_of(formula);
  if (own && !suffix.empty())
    return fmt::format(": \"{}\" of [definitions] has its unit already, {}", formula, *own);
  if (own && *own != unit)
    return unit.empty()
               ? fmt::format(" must be a plain number, but \"{}\" of [definitions] is in {}", formula, *own)
               : fmt::format(" takes {}, but \"{}\" of [definitions] is in {}", unit, formula, *own);
  if (suffix.empty()) return 1.;
  if (!std::isalpha(static_cast<unsigned char>(suffix.front())))
    return fmt::format(": cannot read \"{:.80}\": unexpected \"{:.20}\"", text, suffix);
  return unit_factor(suffix, unit);
}

/// Why a formula cannot be a quantity that depends on t alone; empty if it can.
std::string why_not_of_time(const Definitions& definitions, const Rule& rule, const Expression& formula,
                            std::string_view text) {
  if (const std::string* name = definitions.measured_in(formula))
    return fmt::format(
        ": cannot read \"{:.80}\": \"{}\" is a quantity of the motion, and only formulas of forces, states, "
        "samples, events and velocity constraints may use these",
        text, *name);
  if (formula.is_constant()) return {};
  const auto rough = rough_function(formula, std::max(rule.derivatives, 1));
  if (!rough) return {};
  if (rule.derivatives == 0)
    return fmt::format(
        ": \"{:.80}\" uses {}, which is not smooth; the steps of a run do not end at the kinks of this "
        "quantity",
        text, rough->name);
  return fmt::format(
      ": \"{:.80}\" uses {}, which has {} continuous derivative; the equations of this constraint need two",
      text, rough->name, rough->derivatives == 1 ? "one" : "no");
}

}  // namespace

Position TableReader::at(std::string_view key) const {
  const Node* node = key.empty() ? nullptr : find(key);
  return node ? node->at : table_ ? table_->at : Position();
}

TableReader TableReader::of_state(Reading& reading) const {
  TableReader reader = *this;
  reader.quantities_ = &reading;
  return reader;
}

TableReader TableReader::of_time() const {
  TableReader reader = *this;
  reader.quantities_ = nullptr;
  return reader;
}

TableReader TableReader::inner(std::string_view key) const {
  TableReader reader(find(key), rule(key), fmt::format("\"{}\" of {}", key, where_), begin_, diagnostics_,
                     definitions_);
  reader.quantities_ = quantities_;
  return reader;
}

TableReader TableReader::element(const Node& table, std::string_view key) const {
  const Rule& items = *rule(key).items;
  TableReader reader(&table, items.variants.empty() ? items : *items.variant(table),
                     fmt::format("a \"{}\" of {}", key, where_), begin_, diagnostics_, definitions_);
  reader.quantities_ = quantities_;
  return reader;
}

void TableReader::error(std::string_view key, const std::string& message) const {
  diagnostics_.error(at(key), message);
}

void TableReader::fail(const Node& node, std::string_view key, const std::string& why) const {
  diagnostics_.error(node.at, fmt::format("\"{}\" of {}{}", key, where_, why));
}

/// The quantities that a formula uses, or the reason why one of them does not exist. In the formula they
/// become the variables 1, 2 and so on.
std::variant<std::vector<Measured>, std::string> TableReader::number_inputs(Expression& formula) const {
  std::vector<Measured> inputs;
  std::map<int, int> numbers;
  std::vector<Expression::Step> steps = formula.steps();
  for (Expression::Step& step : steps) {
    if (step.op != Expression::Op::variable || step.index == 0) continue;
    const auto [number, is_new] = numbers.try_emplace(step.index, static_cast<int>(inputs.size()) + 1);
    if (is_new) {
      const auto found =
          find_quantity(*quantities_, definitions_.measured()[static_cast<std::size_t>(step.index) - 1]);
      if (const auto* why = std::get_if<std::string>(&found)) return *why;
      inputs.push_back(std::get<Measured>(found));
    }
    step.index = number->second;
  }
  formula = Expression(std::move(steps), formula.tables());
  return inputs;
}

std::optional<TimeFunction> TableReader::quantity(const Node& node, std::string_view key, const Rule& rule,
                                                  std::string_view unit) const {
  if (const auto* integer = node.as<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* number = node.as<double>()) return *number;
  const auto* text = node.as<std::string>();
  if (!text) return fail(node, key, fmt::format(" must be a number, got {}", kind_name(node))), std::nullopt;

  ParsedExpression parsed = parse_expression(*text, definitions_.of_time());
  const auto refuse = [&](const std::string& why) { return fail(node, key, why), std::nullopt; };
  if (!parsed.error.empty()) return refuse(fmt::format(": cannot read \"{:.80}\": {}", *text, parsed.error));
  if (!quantities_ || rule.derivatives > 1)
    if (const auto why = why_not_of_time(definitions_, rule, parsed.expression, *text); !why.empty())
      return refuse(why);
  if (const auto jump = rough_function(parsed.expression, 0); rule.derivatives == 1 && jump)
    return refuse(
        fmt::format(": \"{:.80}\" uses {}, which jumps; a velocity cannot jump", *text, jump->name));
  const auto found = factor_of(definitions_, parsed, *text, unit);
  if (const auto* why = std::get_if<std::string>(&found)) return refuse(*why);
  const double factor = std::get<double>(found);
  if (definitions_.measured_in(parsed.expression)) {
    if (!rule.expression) return refuse(fmt::format(" cannot depend on the motion, as \"{}\" does", *text));
    auto inputs = number_inputs(parsed.expression);
    if (const auto* why = std::get_if<std::string>(&inputs))
      return refuse(fmt::format(": cannot read \"{:.80}\": {}", *text, *why));
    return function_of_state(std::move(parsed.expression), std::get<std::vector<Measured>>(std::move(inputs)),
                             factor, plain_text(*text));
  }
  const double first = factor * parsed.expression.value(begin_);
  if (!std::isfinite(first))
    return refuse(parsed.expression.is_constant()
                      ? fmt::format(": \"{}\" is not finite", *text)
                      : fmt::format(": \"{}\" is not finite at t = {}", *text, begin_));
  if (!parsed.expression.is_constant()) {
    if (!rule.expression) return refuse(fmt::format(" cannot depend on time, as \"{}\" does", *text));
    if (quantities_ && rule.derivatives < 2 && parsed.expression.kinks() > 0)
      return function_of_state(std::move(parsed.expression), {}, factor, plain_text(*text));
    return function_of_time(std::move(parsed.expression), factor, plain_text(*text));
  }
  if (const auto why = out_of_range(rule, first)) return refuse(fmt::format(" {}, got \"{}\"", *why, *text));
  return first;
}

std::optional<double> TableReader::constant(const Node& node, std::string_view key, const Rule& rule,
                                            std::string_view unit) const {
  const auto value = quantity(node, key, rule, unit);
  return value ? std::optional((*value)(begin_)) : std::nullopt;
}

std::optional<double> TableReader::number(std::string_view key) const {
  const Rule& r = rule(key);
  if (const Node* node = given(key)) return constant(*node, key, r, r.unit);
  return r.fallback ? std::optional(r.fallback->get<double>()) : std::nullopt;
}

std::optional<std::vector<double>> TableReader::numbers(std::string_view key,
                                                        const std::vector<std::string_view>& units) const {
  const Rule& r = rule(key);
  const Node* node = given(key);
  if (!node) return r.fallback ? std::optional(r.fallback->get<std::vector<double>>()) : std::nullopt;
  const auto unit = [&](std::size_t i) { return i < units.size() ? units[i] : std::string_view(r.unit); };
  std::vector<double> values;
  bool good = true;
  const auto read = [&](const Node& element, const Rule& element_rule) {
    const auto value = constant(element, key, element_rule, unit(values.size()));
    good = good && value;
    values.push_back(value.value_or(0));
  };
  if (const auto* array = node->as<Node::Array>())
    for (const Node& element : *array) read(element, *r.items);
  else
    read(*node, r);
  return good ? std::optional(values) : std::nullopt;
}

std::optional<Vec3> TableReader::vec3(std::string_view key) const {
  const auto values = numbers(key);
  return values ? std::optional(Vec3(values->data())) : std::nullopt;
}

std::optional<Mat3> TableReader::matrix(std::string_view key) const {
  const Node* node = given(key);
  const Rule& r = rule(key);
  if (!node)
    return r.fallback ? std::optional<Mat3>(r.fallback->get<double>() * Mat3::Identity()) : std::nullopt;
  const auto* rows = node->as<Node::Array>();
  if (!rows || std::none_of(rows->begin(), rows->end(), is_array)) {
    const auto values = numbers(key);
    if (!values) return std::nullopt;
    if (values->size() == 1) return Mat3(values->front() * Mat3::Identity());
    return Mat3(Vec3(values->data()).asDiagonal());
  }
  Mat3 matrix;
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    const auto* row = (*rows)[i].as<Node::Array>();
    if (!row)
      return fail((*rows)[i], key, " must be three numbers or three rows, not a mixture"), std::nullopt;
    for (int j = 0; j < 3; ++j) {
      const auto value = constant((*row)[j], key, r, r.unit);
      good = good && value;
      matrix(i, j) = value.value_or(0);
    }
  }
  return good ? std::optional(matrix) : std::nullopt;
}

TimeFunction TableReader::time_function(std::string_view key, std::optional<std::string_view> unit) const {
  const Rule& r = rule(key);
  if (const Node* node = given(key)) return quantity(*node, key, r, unit.value_or(r.unit)).value_or(0.);
  return r.fallback ? r.fallback->get<double>() : 0.;
}

TimeVec3 TableReader::time_vec3(std::string_view key) const {
  const Rule& r = rule(key);
  TimeVec3 value{0., 0., 0.};
  const Node* node = given(key);
  for (std::size_t i = 0; i < 3; ++i) {
    if (node)
      value[i] = quantity((*node->as<Node::Array>())[i], key, r, r.unit).value_or(0.);
    else if (r.fallback)
      value[i] = r.fallback->at(i).get<double>();
  }
  return value;
}

std::string TableReader::text(std::string_view key) const {
  const Node* node = given(key);
  if (const auto* string = node ? node->as<std::string>() : nullptr) return *string;
  return rule(key).fallback ? rule(key).fallback->get<std::string>() : std::string();
}

std::vector<std::string> TableReader::texts(std::string_view key) const {
  const Node* node = given(key);
  if (!node) return rule(key).fallback->get<std::vector<std::string>>();
  std::vector<std::string> all;
  for (const Node& element : *node->as<Node::Array>()) all.push_back(*element.as<std::string>());
  return all;
}

bool TableReader::flag(std::string_view key) const {
  const Node* node = given(key);
  return node ? *node->as<bool>() : rule(key).fallback->get<bool>();
}

long TableReader::integer(std::string_view key) const {
  const Node* node = given(key);
  return node ? *node->as<std::int64_t>() : rule(key).fallback->get<long>();
}

std::optional<std::string_view> choice(const TableReader& table, const std::vector<std::string_view>& keys) {
  std::optional<std::string_view> first;
  for (std::string_view key : keys) {
    if (!table.find(key)) continue;
    if (first) {
      if (table.readable(*first))
        table.error(key, fmt::format("{} has both \"{}\" and \"{}\"; give only one of them", table.where(),
                                     *first, key));
      return first;
    }
    first = key;
  }
  return first;
}

}  // namespace torsor::scene
