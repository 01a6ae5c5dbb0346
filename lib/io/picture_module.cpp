#include <cairo-pdf.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#include <string>

// Renders an SVG as PNG or PDF. This is a separate module, so that the command needs librsvg and its
// dependencies only when such a picture is requested.

namespace {

constexpr double pixels = 2;                             ///< pixels of a PNG per CSS pixel
constexpr double points = 72. / 96;                      ///< points of a PDF per CSS pixel
constexpr const char* no_date = "1970-01-01T00:00:00Z";  ///< makes equal pictures equal bytes

cairo_status_t append(void* bytes, const unsigned char* data, unsigned count) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), count);
  return CAIRO_STATUS_SUCCESS;
}

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

Surface make_surface(bool pdf, double width, double height, std::string& bytes) {
  if (!pdf)
    return {cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(pixels * width)),
                                       static_cast<int>(std::lround(pixels * height))),
            cairo_surface_destroy};
  cairo_surface_t* const made =
      cairo_pdf_surface_create_for_stream(append, &bytes, points * width, points * height);
  cairo_pdf_surface_set_metadata(made, CAIRO_PDF_METADATA_CREATOR, "Torsor");
  cairo_pdf_surface_set_metadata(made, CAIRO_PDF_METADATA_CREATE_DATE, no_date);
  return {made, cairo_surface_destroy};
}

std::string taken(GError* error) {
  std::string text = error ? error->message : "librsvg gives no reason";
  g_clear_error(&error);
  return text;
}

std::string render(const std::string& svg, bool pdf, std::string& bytes) {
  GError* error = nullptr;
  const std::unique_ptr<RsvgHandle, decltype(&g_object_unref)> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error),
      g_object_unref);
  if (!handle) return taken(error);
  double width = 0, height = 0;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height)) return "it has no size";
  const Surface surface = make_surface(pdf, width, height, bytes);
  const double scale = pdf ? points : pixels;
  {
    const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context(cairo_create(surface.get()),
                                                                     cairo_destroy);
    cairo_scale(context.get(), scale, scale);
    const RsvgRectangle page{0, 0, width, height};
    if (!rsvg_handle_render_document(handle.get(), context.get(), &page, &error)) return taken(error);
  }
  if (pdf) {
    cairo_surface_finish(surface.get());
  } else if (const auto status = cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
             status != CAIRO_STATUS_SUCCESS) {
    return cairo_status_to_string(status);
  }
  const auto status = cairo_surface_status(surface.get());
  return status == CAIRO_STATUS_SUCCESS ? "" : cairo_status_to_string(status);
}

}  // namespace

/// Appends the picture to `bytes`. `failure`: the reason why it cannot be drawn, else empty.
extern "C" void torsor_render(const std::string& svg, bool pdf, std::string& bytes, std::string& failure) {
  failure = render(svg, pdf, bytes);
}
