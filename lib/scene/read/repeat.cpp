#include "repeat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/language/expression.hpp"
#include "scene/source.hpp"

namespace torsor::scene {
namespace {

bool of_name(char c) { return c == '_' || c == '-' || std::isalnum(static_cast<unsigned char>(c)); }

std::string written(double x) {
  if (x == std::round(x) && std::abs(x) < 1e15) return std::to_string(static_cast<long long>(x));
  return fmt::format("{}", x);
}

/// Substitutes one value of i in the strings of a table. The vocabulary has a list of quantities of the
/// motion, so that formulas may use all functions; a formula that uses such a quantity is refused.
class Copy {
 public:
  Copy(long i, const Vocabulary& vocabulary, Diagnostics& diagnostics)
      : i_(static_cast<double>(i)), vocabulary_(vocabulary), diagnostics_(diagnostics) {}

  // `scan` limits the depth of the recursion.
  void substitute(Node& node) const {
    if (auto* text = node.as<std::string>()) {
      if (text->find('{') != std::string::npos) *text = substituted(*text, node.at);
    } else if (auto* array = node.as<Node::Array>()) {
      for (Node& element : *array) substitute(element);
    } else if (auto* table = node.as<Node::Table>()) {
      for (Entry& entry : *table) substitute(entry.value);
    }
  }

 private:
  std::string substituted(const std::string& text, const Position& at) const {
    std::string result;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t open = text.find('{', from), close = text.find('}', open);
      if (close == std::string::npos) return result += text.substr(from);
      result += text.substr(from, open - from);
      const std::string number = evaluated(text.substr(open + 1, close - open - 1), at);
      // A negative number in a formula needs brackets to stay one operand; in a name ("rod{i}") it gets none.
      // No name contains "^", so a minus before a power is an operator.
      const std::size_t next = text.find_first_not_of(' ', close + 1);
      const bool powered = next != std::string::npos && text[next] == '^';
      const bool in_name = (open > 0 && of_name(text[open - 1]) && !(powered && text[open - 1] == '-')) ||
                           (close + 1 < text.size() && of_name(text[close + 1]));
      result += !in_name && number.starts_with('-') ? "(" + number + ")" : number;
      from = close + 1;
    }
    return result;
  }

  std::string evaluated(const std::string& formula, const Position& at) const {
    vocabulary_.measured->clear();
    const ParsedExpression parsed = parse_expression(formula, vocabulary_);
    std::string why = parsed.error;
    if (why.empty() && !vocabulary_.measured->empty())
      why = fmt::format("\"{}\" is a quantity of the motion; these formulas use i and constants",
                        vocabulary_.measured->front());
    if (why.empty() && !parsed.rest.empty()) why = fmt::format("unexpected \"{:.20}\"", parsed.rest);
    const double x = why.empty() ? parsed.expression.value(i_) : 0;
    if (why.empty() && !std::isfinite(x)) why = fmt::format("not finite for i = {}", i_);
    if (!why.empty()) diagnostics_.error(at, fmt::format("cannot compute {{{:.80}}}: {}", formula, why));
    return written(x);
  }

  double i_;
  const Vocabulary& vocabulary_;
  Diagnostics& diagnostics_;
};

struct Size {
  std::size_t tables = 0, values = 0;
};

void measure(const Node& node, Size& size) {
  ++size.values;
  if (const auto* array = node.as<Node::Array>())
    for (const Node& element : *array) measure(element, size);
  if (const auto* table = node.as<Node::Table>()) {
    ++size.tables;
    for (const Entry& entry : *table) measure(entry.value, size);
  }
}

/// The number of copies of a table; 0 for a table without `repeat` or with a refused one.
long repeats(const Node& table) {
  const Node* repeat = table.find("repeat");
  const auto* count = repeat && !repeat->bad ? repeat->as<std::int64_t>() : nullptr;
  return count ? *count : 0;
}

void expand(Node::Array& tables, Size& total, const Vocabulary& vocabulary, Diagnostics& diagnostics) {
  Node::Array expanded;
  for (Node& table : tables) {
    const long count = repeats(table);
    Size one;
    measure(table, one);
    const auto copies = static_cast<std::size_t>(std::max(count, 1L));
    // Compares quotients, because the products may overflow.
    if (copies > (Limits::objects - total.tables) / std::max<std::size_t>(one.tables, 1) ||
        copies > (Limits::expanded_values - total.values) / one.values)
      diagnostics.throw_limit(count > 0 ? table.find("repeat")->at : table.at,
                              fmt::format("too many copies: a scene may have at most {} tables and {} values",
                                          Limits::objects, Limits::expanded_values));
    total.tables += copies * one.tables;
    total.values += copies * one.values;
    if (count == 0) {
      expanded.push_back(std::move(table));
      continue;
    }
    std::erase_if(*table.as<Node::Table>(), [](const Entry& entry) { return entry.key == "repeat"; });
    for (long i = 0; i < count; ++i) {
      expanded.push_back(table);
      Copy(i, vocabulary, diagnostics).substitute(expanded.back());
    }
  }
  tables = std::move(expanded);
}

}  // namespace

void expand_repeats(Node& document, const Definitions& definitions, Diagnostics& diagnostics) {
  Size total;
  std::vector<std::string> measured;
  Vocabulary vocabulary = definitions.of_copies();
  vocabulary.measured = &measured;
  for (Entry& entry : *document.as<Node::Table>()) {
    auto* tables = entry.value.as<Node::Array>();
    if (tables &&
        std::all_of(tables->begin(), tables->end(), [](const Node& node) { return node.as<Node::Table>(); }))
      expand(*tables, total, vocabulary, diagnostics);
  }
}

}  // namespace torsor::scene
