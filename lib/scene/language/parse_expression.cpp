#include <fmt/format.h>

#include <boost/spirit/home/x3.hpp>
#include <charconv>
#include <numbers>

#include "expression.hpp"
#include "rate.hpp"
#include "scene/diagnostics.hpp"

namespace torsor::scene {
namespace {

namespace x3 = boost::spirit::x3;
using Op = Expression::Op;

struct Function {
  std::string_view name;
  Op op;
  int arguments;
};
constexpr Function functions[] = {
    {"sin", Op::sin, 1},   {"cos", Op::cos, 1},   {"tan", Op::tan, 1},     {"asin", Op::asin, 1},
    {"acos", Op::acos, 1}, {"atan", Op::atan, 1}, {"atan2", Op::atan2, 2}, {"sinh", Op::sinh, 1},
    {"cosh", Op::cosh, 1}, {"tanh", Op::tanh, 1}, {"exp", Op::exp, 1},     {"log", Op::log, 1},
    {"sqrt", Op::sqrt, 1}, {"pow", Op::power, 2}, {"abs", Op::abs, 1},     {"sign", Op::sign, 1}};

/// Receives the parts that the grammar recognises and writes postfix steps.
class Builder {
 public:
  explicit Builder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  std::vector<Expression::Step> steps;
  std::string error;

  void push(const Expression::Step& step) {
    const Op op = step.op;
    depth_ += op <= Op::variable ? 1 : (op >= Op::add && op <= Op::power) || op == Op::atan2 ? -1 : 0;
    if (depth_ > Expression::stack_size || steps.size() >= Expression::most_steps)
      return fail("too complicated");
    steps.push_back(step);
  }
  void push(Op op, double number = 0) { push({op, number, 0}); }
  void number(std::string_view digits) {
    double x = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    if (problem != std::errc() || end != digits.data() + digits.size())
      fail(fmt::format("\"{}\" is outside the range of numbers", digits));
    push(Op::constant, x);
  }
  void symbol(std::string_view name) {
    for (std::size_t i = 0; i < vocabulary_.variables.size(); ++i)
      if (name == vocabulary_.variables[i]) return push({Op::variable, 0, static_cast<int>(i)});
    for (const auto& [known, formula] : vocabulary_.definitions) {
      if (name != known) continue;
      for (const Expression::Step& step : formula.steps()) push(step);
      return;
    }
    if (name.ends_with('\'') && rate(name)) return;
    if (name == "pi") return push(Op::constant, std::numbers::pi);
    if (name == "e") return push(Op::constant, std::numbers::e);
    for (const Function& function : functions)
      if (function.name == name) return fail(fmt::format("{} needs its argument in brackets", name));
    std::vector<std::string_view> known(vocabulary_.variables.begin(), vocabulary_.variables.end());
    for (const auto& [word, formula] : vocabulary_.definitions) known.push_back(word);
    known.insert(known.end(), {"pi", "e"});
    fail(fmt::format("unknown name \"{}\"{}", name, suggestion(name, known)));
  }
  void call(std::string_view name) { calls_.push_back({name, 0}); }
  void argument() { ++calls_.back().arguments; }
  void end_call() {
    const Call call = calls_.back();
    calls_.pop_back();
    std::vector<std::string_view> known;
    for (const Function& function : functions) {
      known.push_back(function.name);
      if (function.name != call.name) continue;
      if (function.arguments != call.arguments)
        return fail(fmt::format("{} takes {} argument{}, got {}", call.name, function.arguments,
                                function.arguments == 1 ? "" : "s", call.arguments));
      if ((function.op == Op::abs || function.op == Op::sign) && vocabulary_.coordinates < 0)
        return fail(fmt::format("{} is for the formulas of a [chart] only", call.name));
      return push(function.op);
    }
    fail(fmt::format("unknown function \"{}\"{}", call.name, did_you_mean(call.name, known)));
  }
  void sign(bool minus) { minus_.back() ^= minus; }
  void begin_signs() { minus_.push_back(false); }
  void end_signs() {
    if (minus_.back()) push(Op::negate);
    minus_.pop_back();
  }

 private:
  /// Pushes the rate l' of a definition l. Returns whether there is such a definition.
  bool rate(std::string_view name) {
    const int n = vocabulary_.coordinates;
    if (n < 0) return false;
    for (const auto& [known, formula] : vocabulary_.definitions) {
      if (name.substr(0, name.size() - 1) != known) continue;
      if (formula.has_variable(n + 1, 2 * n + 1))
        return fail(fmt::format("\"{}\" depends on rates, so that its rate {} is not known", known, name)),
               true;
      const auto steps = rate_of(formula, n);
      if (!steps) return fail("too complicated"), true;
      for (const Expression::Step& step : *steps) push(step);
      return true;
    }
    return false;
  }
  struct Call {
    std::string_view name;
    int arguments;
  };
  static std::string suggestion(std::string_view name, std::vector<std::string_view> known) {
    for (const Function& function : functions) known.push_back(function.name);
    return did_you_mean(name, known);
  }
  void fail(std::string why) {
    if (error.empty()) error = std::move(why);
  }

  const Vocabulary& vocabulary_;
  std::vector<Call> calls_;
  std::vector<char> minus_;
  int depth_ = 0;
};

struct BuilderTag;

// Actions: X3 passes the builder and the matched characters to each of them. The grammar decides by the next
// character alone, so the steps that were built never have to be undone.
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

const x3::rule<struct SumTag> sum = "a number, a name or a bracket";
const x3::rule<struct ProductTag> product = "a number, a name or a bracket";
const x3::rule<struct FactorTag> factor = "a number, a name or a bracket";

// ASCII character classes, because the other classes of X3 are undefined for the bytes of UTF-8.
const auto digits = +x3::ascii::digit;
const auto exponent = x3::char_("eE") >> -x3::char_("+-") >> digits;
const auto mantissa = (digits >> -('.' >> *x3::ascii::digit)) | ('.' >> digits);
const auto number = x3::raw[x3::lexeme[mantissa >> -exponent]][tell(&Builder::number)];
const auto name =
    x3::raw[x3::lexeme[(x3::ascii::alpha | '_') >> *(x3::ascii::alnum | '_') >> *x3::lit('\'')]];
const auto counted = x3::eps[tell(&Builder::argument)];
const auto call = (name >> &x3::lit('('))[tell(&Builder::call)] >> '(' > sum > counted >>
                  *(',' > sum > counted) > ')' > x3::eps[tell(&Builder::end_call)];
const auto symbol = name[tell(&Builder::symbol)];
const auto primary = number | call | symbol | ('(' > sum > ')');
const auto sign = x3::lit('-')[act([](Builder& builder, const auto&) { builder.sign(true); })] | '+';
const auto factor_def = x3::eps[tell(&Builder::begin_signs)] >> *sign >> primary >>
                        -('^' > factor > x3::eps[emit(Op::power)]) >> x3::eps[tell(&Builder::end_signs)];
const auto product_def = factor >> *(('*' > factor > x3::eps[emit(Op::multiply)]) |
                                     ('/' > factor > x3::eps[emit(Op::divide)]));
const auto sum_def = product >> *(('+' > product > x3::eps[emit(Op::add)]) |
                                  ('-' > product > x3::eps[emit(Op::subtract)]));

BOOST_SPIRIT_DEFINE(sum, product, factor)

/// Limits the recursion of the grammar: the reason why a text is too long or too deeply nested, or empty.
std::string why_too_deep(std::string_view text) {
  if (text.size() > Expression::longest)
    return fmt::format("an expression of more than {} characters", Expression::longest);
  int depth = 0, powers = 0;
  for (char c : text) {
    depth += (c == '(') - (c == ')');
    powers += c == '^';
    if (depth + powers > Expression::deepest)
      return fmt::format("an expression nested deeper than {}", Expression::deepest);
  }
  return {};
}

}  // namespace

ParsedExpression parse_expression(std::string_view text, const Vocabulary& vocabulary) {
  if (std::string why = why_too_deep(text); !why.empty()) return {{}, {}, std::move(why)};
  Builder builder(vocabulary);
  auto at = text.begin();
  try {
    const bool parsed =
        x3::phrase_parse(at, text.end(), x3::with<BuilderTag>(std::ref(builder))[sum], x3::ascii::blank);
    if (!builder.error.empty()) return {{}, {}, std::move(builder.error)};
    if (!parsed) return {{}, {}, "expected a number, a name or a bracket at character 1"};
  } catch (const x3::expectation_failure<std::string_view::iterator>& failure) {
    if (!builder.error.empty()) return {{}, {}, std::move(builder.error)};
    return {{},
            {},
            fmt::format("expected {} at character {}", failure.which(), failure.where() - text.begin() + 1)};
  }
  return {Expression(std::move(builder.steps)), text.substr(static_cast<std::size_t>(at - text.begin())), {}};
}

ParsedExpression parse_expression(std::string_view text, std::string_view variable) {
  return parse_expression(text, Vocabulary{{std::string(variable)}});
}

}  // namespace torsor::scene
