#pragma once

#include <filesystem>
#include <string>

#include "torsor/io/results.hpp"

namespace torsor::io {

enum class PictureFormat { svg, png, pdf };

/// The format for the extension of a file name: .svg, .png or .pdf, and SVG without an extension. Throws
/// IoError for any other extension.
PictureFormat picture_format(const std::filesystem::path& path);

/// Converts an SVG to this format: PNG with two pixels for each CSS pixel, PDF with curves and texts as
/// vectors. Both need librsvg, in a module that is loaded on first use; throws IoError if this build does
/// not have it. The same SVG and the same fonts give the same bytes.
std::string rendered(std::string svg, PictureFormat format);

/// The mark of pictures of this format that Torsor wrote: in SVG a comment, in PNG a text that names the
/// program, in PDF a comment after the end.
std::string picture_mark(PictureFormat format);

}  // namespace torsor::io
