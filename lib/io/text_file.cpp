#include "text_file.hpp"

#include <utility>

#include "output_file.hpp"

namespace torsor::io {

void write_text(const std::filesystem::path& path, std::string text, const Overwrite& overwrite) {
  OutputFile file(path, overwrite);
  file.bytes = std::move(text);
  file.commit();
}

}  // namespace torsor::io
