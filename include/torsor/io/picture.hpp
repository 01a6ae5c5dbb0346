#pragma once

#include <filesystem>
#include <string>

#include "torsor/io/io_error.hpp"

namespace torsor {

enum class PictureFormat { svg, png, pdf };

/// The format that the ending of a file's name asks for: .svg, .png or .pdf; SVG where it has none. Throws
/// IoError for any other.
PictureFormat picture_format(const std::filesystem::path& path);

/// An SVG as a file of this format: PNG with two pixels for each CSS pixel, PDF with curves and texts as they
/// are. These two come from librsvg, in a module that is loaded when it is asked for; throws IoError where
/// this build has none. The same SVG and the same fonts give the same bytes.
std::string rendered(std::string svg, PictureFormat format);

/// What tells pictures of this format that Torsor wrote from those of others: in SVG a comment, in PNG a text
/// that names the program, in PDF a comment behind the end.
std::string picture_mark(PictureFormat format);

}  // namespace torsor
