#include "io/picture.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include "io/load_module.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::io {
namespace {

/// The text chunk "Software: Torsor" with its length and its CRC-32 (PNG 1.2, 4.2.3.1).
constexpr std::string_view png_mark{"\0\0\0\x0ftEXtSoftware\0Torsor\x96\x8e\x2c\x80", 27};
constexpr std::size_t png_head = 33;  ///< bytes of the signature and the first chunk
constexpr std::string_view pdf_mark = "% Made by Torsor.\n";

}  // namespace

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
  if (format == PictureFormat::png)
    bytes.insert(png_head, png_mark);
  else
    bytes += pdf_mark;
  return bytes;
}

std::string picture_mark(PictureFormat format) {
  if (format == PictureFormat::svg) return svg_mark;
  return std::string(format == PictureFormat::png ? png_mark : pdf_mark);
}

}  // namespace torsor::io
