#include "condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "batch/ledger/sqlite.hpp"
#include "run/did_you_mean.hpp"

namespace torsor::batch {
namespace {

bool of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '@';
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// The end of a quotation that begins with c, or NUL if c is not a quote. SQL has four kinds of quotes.
char closing_quote(char c) { return c == '[' ? ']' : c == '\'' || c == '"' || c == '`' ? c : '\0'; }

/// The longest column name at the beginning of a text; empty if there is none.
std::string_view column_at(std::string_view text, const std::vector<std::string>& known) {
  std::string_view longest;
  for (const std::string& name : known) {
    const bool whole = text.starts_with(name) && (name.size() == text.size() || !of_name(text[name.size()]));
    if (whole && name.size() > longest.size()) longest = name;
  }
  return longest;
}

/// A column, a quotation, a word, a number or another character at the beginning of a text.
std::string_view token_at(std::string_view text, const std::vector<std::string>& known) {
  if (const auto column = column_at(text, known); !column.empty()) return column;
  std::size_t length = 1;
  if (const char end = closing_quote(text.front()))
    length = std::min(text.find(end, 1), text.size() - 1) + 1;
  else
    while (of_name(text.front()) && length < text.size() && of_name(text[length])) ++length;
  return text.substr(0, length);
}

std::string in_lower_case(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether "case" is the keyword. `before`: the word before it, in lower case; `after`: the text after it.
bool is_keyword_case(const std::string& before, std::string_view after,
                     const std::vector<std::string>& known) {
  after.remove_prefix(std::min(after.find_first_not_of(" \t\n\f\r"), after.size()));
  if (before == "case" || after.empty()) return false;
  const char next = after.front();
  return next == '(' || closing_quote(next) || std::isdigit(static_cast<unsigned char>(next)) ||
         !column_at(after, known).empty() || in_lower_case(token_at(after, known)) == "when";
}

/// Why a token at the beginning of a text could end the condition; empty if it cannot.
std::string why_token_is_refused(std::string_view token, std::string_view text) {
  const char c = token.front(), end = closing_quote(c);
  if (end && (token.size() < 2 || token.back() != end)) return "a quote is not closed";
  if (end) return {};
  if (c == ';') return "it has more than one statement";
  if (text.starts_with("--") || text.starts_with("/*")) return "it has a comment";
  const std::size_t parameter = token.find_first_of("?:$#@");
  if (parameter != token.npos) return fmt::format("\"{}\" has no meaning in it", token[parameter]);
  return {};
}

}  // namespace

std::string unknown_column(const std::string& name, const std::vector<std::string>& known) {
  return fmt::format("no column \"{}\"{}", name, did_you_mean(name, {known.begin(), known.end()}));
}

QueryError invalid_condition(std::string_view condition, std::string_view why) {
  return QueryError(
      fmt::format("\"{}\" is not a valid condition: {}; texts stand in single quotes, as in "
                  "status = 'reached-end'",
                  condition, why));
}

std::string sql_condition(std::string_view condition, const std::vector<std::string>& known) {
  std::string text, before;  // `before`: the last token in lower case
  int open = 0;
  for (std::string_view rest = condition; !rest.empty();) {
    const std::string_view token = token_at(rest, known);
    const bool is_column = column_at(rest, known) == token;
    const std::string_view after = rest.substr(token.size());
    if (!is_column && is_letter(token.front()) && token.find_first_of(".@") != token.npos)
      throw QueryError(unknown_column(std::string(token), known));
    if (const std::string why = is_column ? "" : why_token_is_refused(token, rest); !why.empty())
      throw invalid_condition(condition, why);
    open += token == "(" ? 1 : token == ")" ? -1 : 0;
    if (open < 0) throw invalid_condition(condition, "a closing bracket has no opening bracket");
    const bool keyword = token == "case" && is_keyword_case(before, after, known);
    text += is_column && !keyword ? sql_name(token) : std::string(token);
    if (!std::isspace(static_cast<unsigned char>(token.front()))) before = in_lower_case(token);
    rest = after;
  }
  if (open > 0) throw invalid_condition(condition, "a bracket is not closed");
  return text;
}

}  // namespace torsor::batch
