#include "markup.hpp"

#include <stdexcept>

#include "run/plain_text.hpp"

namespace torsor::io {

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t end; !text.empty() && (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    (out += escaped(text.substr(0, end))) += '\n';
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string data_block(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";  // < occurs only inside JSON strings
    else
      out += c;
  }
  return out;
}

std::string filled(std::string_view page, const std::vector<std::pair<std::string, std::string>>& gaps) {
  std::string out;
  std::size_t from = 0;
  for (const auto& [name, text] : gaps) {  // in the order of the page, so that inserted text is not searched
    const std::string mark = "@@" + name + "@@";
    const std::size_t at = page.find(mark, from);
    if (at == std::string_view::npos) throw std::logic_error("the page has no " + mark);
    out.append(page.substr(from, at - from)).append(text);
    from = at + mark.size();
  }
  return out.append(page.substr(from));
}

}  // namespace torsor::io
