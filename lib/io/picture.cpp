#include "torsor/io/picture.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "load_module.hpp"

namespace torsor {

PictureFormat picture_format(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending.empty() || ending == ".svg") return PictureFormat::svg;
  if (ending == ".png") return PictureFormat::png;
  if (ending == ".pdf") return PictureFormat::pdf;
  throw IoError(fmt::format("{}: pictures are .svg, .png or .pdf", path.string()));
}

std::string rendered(std::string svg, PictureFormat format) {
  if (format == PictureFormat::svg) return svg;
  using Render = void(const std::string& svg, bool pdf, std::string& bytes, std::string& failure);
  void* const module = load_module(TORSOR_PICTURE_MODULE, RTLD_NOW | RTLD_LOCAL);
  void* const render = module == nullptr ? nullptr : ::dlsym(module, "torsor_render");
  if (render == nullptr)
    throw IoError(fmt::format(
        "PNG and PDF need librsvg: install librsvg2-dev and build Torsor again, or write .svg ({})",
        ::dlerror()));
  std::string bytes, failure;
  reinterpret_cast<Render*>(render)(svg, format == PictureFormat::pdf, bytes, failure);
  if (!failure.empty()) throw IoError(fmt::format("cannot draw the picture: {}", failure));
  return bytes;
}

}  // namespace torsor
