#include "source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "run/plain_text.hpp"

namespace torsor::scene {
namespace {

class File {
 public:
  // Without O_NONBLOCK, opening a fifo would wait for a writer, perhaps forever.
  explicit File(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

[[noreturn]] void refuse(const std::string& path, std::string why, bool limit = false) {
  throw SceneError({Diagnostic{path, 0, 0, std::move(why)}}, limit);
}

/// Reads only as much of TOML as it needs to count brackets, dots and values outside strings and comments.
/// Strings begin and end exactly where the parser begins and ends them, so that nothing escapes the count.
class Scanner {
 public:
  Scanner(std::string_view text, const Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  void run() {
    if (text_.size() > Limits::file_bytes) limit(fmt::format("more than {} MiB", Limits::file_bytes >> 20));
    while (at_ < text_.size()) {
      const std::size_t length = utf8_length(text_, at_);
      if (length == 0) diagnostics_.throw_error({line_, column_}, "the text is not UTF-8");
      if (text_[at_] == '\0') diagnostics_.throw_error({line_, column_}, "the text contains a NUL byte");
      if (at_ - line_begin_ > Limits::line_bytes)
        limit(fmt::format("a line of more than {} bytes", Limits::line_bytes));
      const char c = text_[at_];
      if (c == '\n')
        newline();
      else if (quote_ != 0)
        inside_string();
      else if (!comment_)
        outside_string(c);
      at_ += skip_ != 0 ? skip_ : length;
      column_ += static_cast<int>(skip_ != 0 ? skip_ : 1);
      skip_ = 0;
    }
  }

 private:
  void newline() {
    ++line_;
    column_ = 0;
    line_begin_ = at_ + 1;
    comment_ = false;
    dots_ = 0;
    value_ = depth_ > 0;
    if (!triple_) quote_ = 0;
  }

  void inside_string() {
    const char c = text_[at_];
    const bool escape = c == '\\' && quote_ == '"' && at_ + 1 < text_.size();
    if (escape && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\')) {
      skip_ = 2;
    } else if (c == quote_) {
      skip_ = triple_ ? quotes_in_a_row() : 1;
      if (!triple_ || skip_ >= 3) quote_ = 0;
    }
  }

  void outside_string(char c) {
    switch (c) {
      case '#':
        comment_ = true;
        break;
      case '"':
      case '\'':
        quote_ = c;
        triple_ = starts_triple(c);
        if (triple_) skip_ = 3;
        break;
      case '[':
      case '{':
        if (++depth_ > Limits::nesting)
          limit(fmt::format("nested more than {} levels deep", Limits::nesting));
        if (c == '{' || (depth_ == 1 && !value_))
          count(objects_, Limits::objects, "tables");
        else
          count(values_, Limits::values, "values");
        dots_ = 0;
        break;
      case ']':
      case '}':
        depth_ -= depth_ > 0;
        break;
      case ',':
        dots_ = 0;
        count(values_, Limits::values, "values");
        break;
      case '=':
        dots_ = 0;
        value_ = true;
        count(values_, Limits::values, "values");
        break;
      case '.':
        if (++dots_ >= Limits::key_parts)
          limit(fmt::format("a key of more than {} parts", Limits::key_parts));
        break;
      default:
        break;
    }
  }

  /// The number of quotes in a row, at most five. A multi-line string may end with up to two quotes that
  /// belong to its text and then the three that close it. One or two quotes alone belong to the text.
  std::size_t quotes_in_a_row() const {
    std::size_t n = 1;
    while (n < 5 && at_ + n < text_.size() && text_[at_ + n] == quote_) ++n;
    return n;
  }
  bool starts_triple(char c) const {
    return at_ + 2 < text_.size() && text_[at_ + 1] == c && text_[at_ + 2] == c;
  }
  void count(std::size_t& counter, std::size_t most, std::string_view what) {
    if (++counter > most) limit(fmt::format("more than {} {}", most, what));
  }
  [[noreturn]] void limit(const std::string& what) {
    diagnostics_.throw_limit({line_, column_}, what + ", the limit of a file");
  }

  std::string_view text_;
  const Diagnostics& diagnostics_;
  std::size_t at_ = 0, line_begin_ = 0, skip_ = 0, objects_ = 0, values_ = 0;
  int line_ = 1, column_ = 1, depth_ = 0, dots_ = 0;
  char quote_ = 0;
  bool triple_ = false, comment_ = false, value_ = false;
};

}  // namespace

std::string read_text(const std::string& path, std::string_view noun) {
  if (path.find('\0') != std::string::npos) refuse(std::string(noun), "the file name has a NUL byte");
  const File file(path);
  struct ::stat status {};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0)
    refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) refuse(path, fmt::format("is a directory, not a {}", noun));
  if (!S_ISREG(status.st_mode)) refuse(path, "is not a regular file");
  if (static_cast<std::size_t>(status.st_size) > Limits::file_bytes)
    refuse(path, fmt::format("more than {} MiB, the limit of a {}", Limits::file_bytes >> 20, noun), true);

  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ::ssize_t got = ::read(file.descriptor(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

void scan(std::string_view text, const Diagnostics& diagnostics) { Scanner(text, diagnostics).run(); }

}  // namespace torsor::scene
