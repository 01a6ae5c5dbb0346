#include "torsor/io/text_file.hpp"

#include <utility>

#include "partial_file.hpp"

namespace torsor {

void write_text(const std::filesystem::path& path, std::string text) {
  PartialFile partial(path);
  OutputFile file(partial.path());
  file.bytes = std::move(text);
  file.close();
  partial.commit();
}

}  // namespace torsor
