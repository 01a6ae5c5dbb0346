#include <fmt/format.h>

#include "process.hpp"
#include "torsor/integrators/stepper.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

std::string control(const MethodInfo& method) {
  if (method.fixed_step_only) return "fixed step";
  return method.embedded_order > 0 ? fmt::format("embedded {}", method.embedded_order) : "step doubling";
}

/// A text as a JSON string; the list of methods holds no control characters.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

/// The treatments of constraints, the default first.
std::string treatments(const MethodInfo& method) {
  if (method.treatments.empty()) return "none";
  std::string text;
  for (const Treatment treatment : method.treatments)
    text.append(text.empty() ? "" : " ").append(to_string(treatment));
  return text;
}

std::string treatments_as_json(const MethodInfo& method) {
  std::string text;
  for (const Treatment treatment : method.treatments)
    text.append(text.empty() ? "" : ", ").append(quoted(to_string(treatment)));
  return "[" + text + "]";
}

std::string as_json() {
  std::string text = "[\n";
  for (const MethodInfo& method : methods()) {
    text += fmt::format(
        "  {{\"name\": {}, \"order\": {}, \"embedded_order\": {}, \"fixed_step_only\": {}, \"keeps\": {}, "
        "\"reference\": {}, \"treatments\": {}, \"connection\": {}}}{}\n",
        quoted(method.name), method.order, method.embedded_order, method.fixed_step_only,
        quoted(method.keeps), quoted(method.reference), treatments_as_json(method), quoted(method.connection),
        &method == &methods().back() ? "" : ",");
  }
  return text + "]\n";
}

}  // namespace

int methods_verb(bool json) {
  if (json) {
    print(as_json());
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {
      {"method", "order", "step control", "keeps", "connection", "constraints", "reference"}};
  for (const MethodInfo& method : methods()) {
    rows.push_back({std::string(method.name), std::to_string(method.order), control(method),
                    std::string(method.keeps), std::string(method.connection), treatments(method),
                    std::string(method.reference)});
  }
  print(table(rows, 0));
  return 0;
}

}  // namespace torsor::cli
