#include <fmt/format.h>

#include <algorithm>
#include <boost/spirit/home/x3.hpp>
#include <cctype>
#include <charconv>
#include <limits>
#include <numbers>

#include "evaluate.hpp"
#include "expression.hpp"
#include "functions.hpp"
#include "nesting.hpp"
#include "rate.hpp"
#include "scene/diagnostics.hpp"
#include "table_files.hpp"
#include "units.hpp"

namespace torsor::scene {
namespace {

namespace x3 = boost::spirit::x3;
using Op = Expression::Op;

constexpr std::string_view place_of_units =
    "a unit can only follow the whole expression; inside it numbers are in SI units";

/// The unit with which a text begins, up to the first sign of a product or power: "deg", or "N" of "N*m".
/// Empty if there is none.
std::string_view first_unit(std::string_view text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto end = std::find_if_not(text.begin(), text.end(), letter);
  const std::string_view word(text.begin(), end);
  const auto is_word = [&](const Unit& unit) { return unit.suffix == word; };
  return std::any_of(all_units().begin(), all_units().end(), is_word) ? word : std::string_view();
}

/// Receives the parts that the grammar recognises and writes postfix steps.
class Builder {
 public:
  explicit Builder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  std::vector<Expression::Step> steps;
  std::vector<std::shared_ptr<const Table>> tables;
  std::string error;

  void push(const Expression::Step& step) {
    if (!error.empty() || !may_use(step)) return;
    const auto operands = pending_.end() - operands_of(step.op);
    if (std::string why = why_not(step.op, operands); !why.empty()) return fail(std::move(why));
    const bool condition = step.op >= Op::not_negative && step.op <= Op::either;
    const std::size_t begin = operands == pending_.end() ? steps.size() : operands->begin;
    pending_.erase(operands, pending_.end());
    pending_.push_back({condition, begin});
    if (pending_.size() > Expression::stack_size || steps.size() >= Expression::most_steps)
      return fail("too complicated");
    steps.push_back(step);
  }
  void push(Op op, double number = 0) { push({op, number, 0}); }
  void number(std::string_view digits) {
    double x = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    if (problem != std::errc() || end != digits.data() + digits.size())
      fail(fmt::format("\"{}\" is outside the range of floating-point numbers", digits));
    push(Op::constant, x);
  }
  void symbol(std::string_view name) {
    for (std::size_t i = 0; i < vocabulary_.variables.size(); ++i)
      if (name == vocabulary_.variables[i]) return push({Op::variable, 0, static_cast<int>(i)});
    for (const auto& [known, formula] : vocabulary_.definitions) {
      if (name != known) continue;
      if (!measures_if_allowed(name, formula)) return;
      return substitute(formula);
    }
    if (name.ends_with('\'') && rate(name)) return;
    if (name == "pi") return push(Op::constant, std::numbers::pi);
    if (name == "e") return push(Op::constant, std::numbers::e);
    if (function_named(name)) return fail(fmt::format("{} needs its argument in brackets", name));
    std::vector<std::string_view> known(vocabulary_.variables.begin(), vocabulary_.variables.end());
    for (const auto& [word, formula] : vocabulary_.definitions) known.push_back(word);
    known.insert(known.end(), {"pi", "e"});
    const std::string near = suggestion(name, known);
    fail(fmt::format("unknown name \"{}\"{}", name,
                     near.empty() && first_unit(name) == name ? fmt::format("; {}", place_of_units) : near));
  }
  /// A quantity of the motion, as it is written.
  void measured(std::string_view path) {
    std::string name(path);
    std::erase_if(name, [](char c) { return c == '\'' || c == '"'; });
    if (!vocabulary_.measured)
      return fail(fmt::format("\"{}\" is a quantity of the motion, and {}", name, who_may()));
    auto& all = *vocabulary_.measured;
    const auto found = std::find(all.begin(), all.end(), name);
    push({Op::variable, 0,
          static_cast<int>(vocabulary_.variables.size() + static_cast<std::size_t>(found - all.begin()))});
    if (found == all.end()) all.push_back(std::move(name));
  }
  void begin_table() { texts_.emplace_back(); }
  void text(std::string_view quoted) { texts_.back().emplace_back(quoted.substr(1, quoted.size() - 2)); }
  void end_table() {
    const std::vector<std::string> texts = std::move(texts_.back());
    texts_.pop_back();
    if (!vocabulary_.files) return fail("this formula cannot use a table");
    if (!error.empty()) return;
    std::string why;
    auto table = vocabulary_.files->table(texts[0], texts[1], {texts.begin() + 2, texts.end()}, why);
    if (!table) return fail(std::move(why));
    tables.push_back(std::move(table));
    push({Op::table, 0, static_cast<int>(tables.size()) - 1});
  }
  void call(std::string_view name) { calls_.push_back({name, function_named(name), 0}); }
  /// clamp(x, low, high) = min(max(x, low), high).
  void argument() {
    Call& call = calls_.back();
    ++call.arguments;
    if (!call.joins() || call.arguments == 1) return;
    const bool clamp = call.name == "clamp";
    push({clamp && call.arguments == 2 ? Op::max : call.function->op, 0, clamp});
  }
  void end_call() {
    const Call call = calls_.back();
    calls_.pop_back();
    if (!call.function)
      return fail(fmt::format("unknown function \"{}\"{}", call.name, suggestion(call.name, {})));
    const auto& [name, op, arguments] = *call.function;
    const bool more = call.joins() && name != "clamp";
    if (more ? call.arguments < arguments : call.arguments != arguments)
      return fail(fmt::format("{} takes {}{} argument{}, got {}", name, more ? "at least " : "", arguments,
                              arguments == 1 ? "" : "s", call.arguments));
    if (!call.joins()) push(op);
  }
  /// Ends a comparison of u and w, which is a condition on their difference.
  void at_least() { compare(false, false); }
  void less() { compare(false, true); }
  void at_most() { compare(true, false); }
  void greater() { compare(true, true); }
  void begin_nots() { nots_.push_back(0); }
  void negation() { ++nots_.back(); }
  void end_nots() {
    const int count = nots_.back();
    nots_.pop_back();
    if (count > 0 && error.empty() && !pending_.back().condition)
      return fail(fmt::format("\"not\" {}", needs_condition));
    if (count % 2 == 1) push(Op::opposite);
  }
  void end() {
    if (error.empty() && pending_.back().condition) fail(std::string(no_number));
  }
  void sign(bool minus) { minus_.back() ^= minus; }
  void begin_signs() { minus_.push_back(false); }
  void end_signs() {
    if (minus_.back()) push(Op::negate);
    minus_.pop_back();
  }

 private:
  /// Whether the formula may use a step. Reports an error if it may not.
  bool may_use(const Expression::Step& step) {
    if (step.op == Op::table && !vocabulary_.files) return fail("this formula cannot use a table"), false;
    if (allowed(step.op)) return true;
    fail(of_chart()
             ? fmt::format(
                   "{} is not smooth: of such functions, formulas of a [chart] may use abs and sign only",
                   name_of(step))
             : fmt::format("{} is not smooth: only formulas of forces, states, samples, events and velocity "
                           "constraints may use it{}",
                           name_of(step),
                           step.op == Op::abs || step.op == Op::sign ? ", and those of a [chart]" : ""));
    return false;
  }
  /// Pushes the steps of a definition.
  void substitute(const Expression& formula) {
    const int before = static_cast<int>(tables.size());
    tables.insert(tables.end(), formula.tables().begin(), formula.tables().end());
    for (Expression::Step step : formula.steps()) {
      if (step.op == Op::table) step.index += before;
      push(step);
    }
  }
  /// Pushes the rate l' of a definition l. Returns whether there is such a definition.
  bool rate(std::string_view name) {
    const int n = vocabulary_.coordinates;
    if (n < 0) return false;
    for (const auto& [known, formula] : vocabulary_.definitions) {
      if (name.substr(0, name.size() - 1) != known) continue;
      if (!measures_if_allowed(known, formula)) return true;
      if (formula.has_variable(n + 1, 2 * n + 1))
        return fail(fmt::format("\"{}\" depends on rates, so that its rate {} is not known", known, name)),
               true;
      const auto usable = [this](const Expression::Step& step) { return may_use(step); };
      if (!std::all_of(formula.steps().begin(), formula.steps().end(), usable)) return true;
      const auto all = rate_of(formula, n);
      if (!all) return fail("too complicated"), true;
      for (const Expression::Step& step : *all) push(step);
      return true;
    }
    return false;
  }
  /// Whether a definition may be used here. Reports an error if it depends on quantities of the motion where
  /// they are not allowed.
  bool measures_if_allowed(std::string_view name, const Expression& formula) {
    const auto variables = static_cast<int>(vocabulary_.variables.size());
    if (vocabulary_.measured || !formula.has_variable(variables, std::numeric_limits<int>::max()))
      return true;
    fail(fmt::format("\"{}\" depends on quantities of the motion, and {}", name, who_may()));
    return false;
  }
  struct Operand {
    bool condition;     ///< in place of a number
    std::size_t begin;  ///< its first step
  };
  using Operands = std::vector<Operand>;
  struct Call {
    std::string_view name;
    const Function* function;
    int arguments;
    /// Whether each further argument is joined with the result of those before it.
    bool joins() const { return function && (function->op == Op::min || function->op == Op::max); }
  };
  static constexpr std::string_view needs_condition = "needs a condition, such as x > 0",
                                    no_number =
                                        "a condition is not a number; write if(condition, then, else)";

  bool of_chart() const { return vocabulary_.coordinates >= 0; }
  bool allowed(Op op) const {
    return op < Op::abs || op == Op::table || vocabulary_.measured || (op <= Op::sign && of_chart());
  }
  /// Which formulas may use quantities of the motion.
  std::string_view who_may() const {
    return of_chart()
               ? "formulas of a [chart] cannot use these"
               : "only formulas of forces, states, samples, events and velocity constraints may use these";
  }
  /// Why the operands do not suit a step, which takes numbers or conditions. Empty if they do.
  std::string why_not(Op op, Operands::const_iterator operands) const {
    const bool of_conditions = op >= Op::opposite && op <= Op::either;
    for (auto at = operands; at != pending_.end(); ++at) {
      if (of_conditions || (op == Op::choose && at == operands)) {
        if (!at->condition)
          return fmt::format("{} {}",
                             op == Op::both     ? "\"and\""
                             : op == Op::either ? "\"or\""
                                                : "if",
                             needs_condition);
      } else if (at->condition) {
        return std::string(no_number);
      }
    }
    return op == Op::smoothstep ? why_no_limits(operands[0].begin, operands[1].begin, operands[2].begin)
                                : std::string();
  }
  /// Why the limits a and b of a smoothstep, which begin at these steps and end before `x`, are refused.
  std::string why_no_limits(std::size_t a, std::size_t b, std::size_t x) const {
    const auto formula = [this](std::size_t begin, std::size_t end) {
      return Expression(std::vector(steps.data() + begin, steps.data() + end), tables);
    };
    const Expression low = formula(a, b), high = formula(b, x);
    if (!low.is_constant() || !high.is_constant() || low.value(0) != high.value(0)) return {};
    return fmt::format("the limits a and b of smoothstep(a, b, x) must differ, both are {}", low.value(0));
  }
  void compare(bool minus, bool invert) {
    push(Op::subtract);
    if (minus) push(Op::negate);
    push(Op::not_negative);
    if (invert) push(Op::opposite);
  }
  static std::string suggestion(std::string_view name, std::vector<std::string_view> known) {
    for (const Function& function : all_functions()) known.push_back(function.name);
    return did_you_mean(name, known);
  }
  void fail(std::string why) {
    if (error.empty()) error = std::move(why);
  }

  const Vocabulary& vocabulary_;
  std::vector<Call> calls_;
  std::vector<std::vector<std::string>> texts_;  ///< of each open table
  std::vector<char> minus_;
  std::vector<int> nots_;
  Operands pending_;  ///< of steps that have not been pushed yet
};

struct BuilderTag;

// Actions: X3 passes the builder and the matched characters to each of them. The grammar chooses an
// alternative before any action of the alternative runs, so the steps that were built never have to be
// undone.
template <class F>
auto act(F f) {
  return [f](auto& context) { f(x3::get<BuilderTag>(context).get(), x3::_attr(context)); };
}
const auto view = [](const auto& range) { return std::string_view(&*range.begin(), range.size()); };
auto emit(Op op) {
  return act([op](Builder& builder, const auto&) { builder.push(op); });
}
auto tell(void (Builder::*what)()) {
  return act([what](Builder& builder, const auto&) { (builder.*what)(); });
}
auto tell(void (Builder::*what)(std::string_view)) {
  return act([what](Builder& builder, const auto& text) { (builder.*what)(view(text)); });
}

const x3::rule<struct ConditionTag> condition = "a number, a name or a bracket";
const x3::rule<struct ConjunctionTag> conjunction = "a condition";
const x3::rule<struct NegationTag> negation = "a condition";
const x3::rule<struct PartTag> part = "a word or a name in quotes";
const x3::rule<struct TextTag> text = "a text in quotes";
const x3::rule<struct SumTag> sum = "a number, a name or a bracket";
const x3::rule<struct ProductTag> product = "a number, a name or a bracket";
const x3::rule<struct FactorTag> factor = "a number, a name or a bracket";

// ASCII character classes, because the other classes of X3 are undefined for the bytes of UTF-8.
const auto digits = +x3::ascii::digit;
const auto exponent = x3::char_("eE") >> -x3::char_("+-") >> digits;
const auto mantissa = (digits >> -('.' >> *x3::ascii::digit)) | ('.' >> digits);
const auto number = x3::raw[x3::lexeme[mantissa >> -exponent]][tell(&Builder::number)];
const auto of_word = x3::ascii::alnum | '_';
const auto word = (x3::ascii::alpha | '_') >> *of_word;
const auto name = x3::raw[x3::lexeme[word >> *x3::lit('\'')]];
const auto in_quotes = +(of_word | '-');
const auto part_def = word | ('\'' > in_quotes > '\'') | ('"' > in_quotes > '"');
const auto measured = x3::raw[x3::lexeme[word >> &x3::lit('.') >> +('.' > part)]][tell(&Builder::measured)];
auto keyword(const char* text) { return x3::lexeme[x3::lit(text) >> !of_word]; }
const auto counted = x3::eps[tell(&Builder::argument)];
const auto call = ((name >> &x3::lit('('))[tell(&Builder::call)] >> '(') > condition > counted >>
                  *(',' > condition > counted) > ')' > x3::eps[tell(&Builder::end_call)];
const auto between = [](char quote) { return (quote >> *(x3::char_ - quote)) > quote; };
const auto text_def = x3::raw[x3::lexeme[between('"') | between('\'')]][tell(&Builder::text)];
const auto table = (keyword("table") >> x3::lit('(') >> x3::eps[tell(&Builder::begin_table)]) > text > ',' >
                   text > ',' > condition > *(',' > text) > ')' > x3::eps[tell(&Builder::end_table)];
const auto symbol = name[tell(&Builder::symbol)];
const auto primary = number | table | call | measured | symbol | ('(' > condition > ')');
const auto sign = x3::lit('-')[act([](Builder& builder, const auto&) { builder.sign(true); })] | '+';
const auto factor_def = x3::eps[tell(&Builder::begin_signs)] >> *sign >> primary >>
                        -('^' > factor > x3::eps[emit(Op::power)]) >> x3::eps[tell(&Builder::end_signs)];
const auto product_def = factor >> *(('*' > factor > x3::eps[emit(Op::multiply)]) |
                                     ('/' > factor > x3::eps[emit(Op::divide)]));
const auto sum_def = product >> *(('+' > product > x3::eps[emit(Op::add)]) |
                                  ('-' > product > x3::eps[emit(Op::subtract)]));
const auto comparison = sum >> -(("<=" > sum > x3::eps[tell(&Builder::at_most)]) |
                                 (">=" > sum > x3::eps[tell(&Builder::at_least)]) |
                                 ('<' > sum > x3::eps[tell(&Builder::less)]) |
                                 ('>' > sum > x3::eps[tell(&Builder::greater)]));
const auto negation_def = x3::eps[tell(&Builder::begin_nots)] >>
                          *keyword("not")[tell(&Builder::negation)] >> comparison
                          >> x3::eps[tell(&Builder::end_nots)];
const auto conjunction_def = negation >> *(keyword("and") > negation > x3::eps[emit(Op::both)]);
const auto condition_def = conjunction >> *(keyword("or") > conjunction > x3::eps[emit(Op::either)]);

BOOST_SPIRIT_DEFINE(condition, conjunction, negation, sum, product, factor, part, text)

}  // namespace

ParsedExpression parse_expression(std::string_view text, const Vocabulary& vocabulary) {
  if (std::string why = why_too_deep(text); !why.empty()) return {{}, {}, std::move(why)};
  Builder builder(vocabulary);
  auto at = text.begin();
  try {
    const bool parsed = x3::phrase_parse(at, text.end(), x3::with<BuilderTag>(std::ref(builder))[condition],
                                         x3::ascii::blank);
    if (parsed) builder.end();
    if (!builder.error.empty()) return {{}, {}, std::move(builder.error)};
    if (!parsed) return {{}, {}, "expected a number, a name or a bracket at character 1"};
  } catch (const x3::expectation_failure<std::string_view::iterator>& failure) {
    if (!builder.error.empty()) return {{}, {}, std::move(builder.error)};
    const std::string_view unit = first_unit({failure.where(), text.end()});
    // The bytes 10xxxxxx of UTF-8 continue a character.
    const auto characters_before =
        std::count_if(text.begin(), failure.where(), [](char byte) { return (byte & 0xC0) != 0x80; });
    return {{},
            {},
            fmt::format("expected {} at character {}{}", failure.which(), characters_before + 1,
                        unit.empty() ? "" : fmt::format(", got the unit \"{}\"; {}", unit, place_of_units))};
  }
  return {Expression(std::move(builder.steps), std::move(builder.tables)),
          text.substr(static_cast<std::size_t>(at - text.begin())),
          {}};
}

ParsedExpression parse_expression(std::string_view text, std::string_view variable) {
  return parse_expression(text, Vocabulary{{std::string(variable)}});
}

}  // namespace torsor::scene
