#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base64.hpp"
#include "io/motion_kind.hpp"
#include "markup.hpp"
#include "page_sources.hpp"
#include "replay_scene.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::io {
namespace {

constexpr std::size_t most_frames = 3601;       // a minute at 60 frames a second
constexpr std::size_t most_bytes = 12'000'000;  // of the motion in base64; bounds the size of the page
constexpr std::size_t frame_bytes =
    (3 * sizeof(double) + 10 * sizeof(float)) * 4 / 3;  // of one body, in base64

/// The indices of the samples that become frames: the first, the last, and evenly spaced samples between
/// them.
std::vector<std::size_t> chosen(std::size_t samples, std::size_t bodies) {
  const std::size_t room =
      std::max<std::size_t>(2, most_bytes / (frame_bytes * std::max<std::size_t>(bodies, 1)));
  const std::size_t frames = std::min({samples, most_frames, room});
  std::vector<std::size_t> places(frames, 0);
  for (std::size_t f = 1; f < frames; ++f) places[f] = f * (samples - 1) / (frames - 1);
  return places;
}

/// For each frame, the value farthest from zero among the samples since the previous frame; NaN if one of
/// these values is NaN.
std::vector<double> farthest(const std::vector<double>& values, const std::vector<std::size_t>& places) {
  std::vector<double> kept;
  kept.reserve(places.size());
  std::size_t next = 0;
  for (const std::size_t place : places) {
    double most = values[place];
    for (; next <= place; ++next)
      if (!std::isnan(most) && !(std::abs(values[next]) <= std::abs(most))) most = values[next];
    kept.push_back(most);
  }
  return kept;
}
std::vector<double> picked(const std::vector<double>& values, const std::vector<std::size_t>& places) {
  std::vector<double> kept;
  for (const std::size_t place : places) kept.push_back(values[place]);
  return kept;
}

/// Poses and twists of the bodies or particles that are drawn, sample by sample. Positions are doubles, so
/// that bodies far from the origin move smoothly.
struct Motions {
  std::vector<double> positions;
  std::vector<float> attitudes, twists;

  static void add(std::vector<float>& list, const auto& values) {
    for (const double x : values) list.push_back(static_cast<float>(x));
  }
  void add(const Vec3& x, const SO3<>& R, const Vec3& v, const Vec3& Omega) {
    std::array<double, 4> xyzw;
    R.to(xyzw.data());
    positions.insert(positions.end(), x.begin(), x.end());
    add(attitudes, xyzw), add(twists, v), add(twists, Omega);
  }
};

/// The scene with the bodies that the replay draws.
scene::Scene drawn_scene(const scene::Scene& scene) {
  scene::Scene drawn = scene;
  drawn.mechanism.bodies = motion_kind(scene).drawn_bodies(scene);
  return drawn;
}

void write_curve(JsonWriter& json, const Series& series, const std::vector<double>& values,
                 const char* kind) {
  json.open();
  json.text("name", series.name);
  json.text("unit", series.unit == "1" ? "" : series.unit);  // the page shows no unit for numbers
  json.text("kind", kind);
  json.text("values", base64(values));
  json.close();
}

void write_curves(JsonWriter& json, const StoredResult& result, const std::vector<std::string>& columns,
                  const std::vector<std::size_t>& places) {
  const auto at_rest = [](const Series& one) {
    return std::all_of(one.values.begin(), one.values.end(), [](double x) { return x == 0; });
  };
  json.open_list("curves");
  for (const Series& one :
       curves(result, {"drift", "position_residual", "velocity_residual", "acceleration_residual"}))
    if (one.name == "drift" || !at_rest(one)) write_curve(json, one, farthest(one.values, places), "check");
  if (const std::string drawn(motion_kind(result.scene).drawn_columns); !drawn.empty())
    for (const Series& one : curves(result, {drawn}))
      write_curve(json, one, picked(one.values, places), "chosen");
  for (const Series& one : curves(result, columns))
    write_curve(json, one, picked(one.values, places), "chosen");
  json.close();
}

void write_facts(JsonWriter& json, const StoredResult& result) {
  json.open_list("facts");
  for (const char* name : {"method", "group", "formulation", "equations", "treatment", "tolerance", "step",
                           "status", "message", "notes", "version"}) {
    if (!result.fact(name)) continue;
    json.open();
    json.text("name", name);
    json.text("value", result.text(name));
    json.close();
  }
  json.close();
}

}  // namespace

Replay replay_page(const StoredResult& result, const ReplayOptions& options) {
  check_not_empty(result.trajectory);
  const MotionKind& kind = motion_kind(result.scene);
  const std::vector<double> t = sample_times(result);
  const scene::Scene drawn = drawn_scene(result.scene);
  const std::vector<std::size_t> places = chosen(t.size(), drawn.mechanism.bodies.size());
  JsonWriter json;
  json.open();
  json.text("format", "torsor/replay/1");
  json.text("scene", result.scene.name);
  json.text("title", result.scene.title.empty() ? result.scene.name : result.scene.title);
  json.integer("samples", static_cast<long>(t.size()));
  json.integer("frames", static_cast<long>(places.size()));
  json.flag("chart", kind.in_coordinates);
  write_facts(json, result);
  write_drawn_scene(json, drawn, picked(t, places));
  json.open_list("events");
  for (const auto& event : result.events) {
    json.open();
    json.text("name", event.name);
    json.number("t", event.t);
    json.close();
  }
  json.close();
  json.text("times", base64(picked(t, places)));
  Motions motions;
  for (const std::size_t place : places)
    for (const BodyMotion& one : kind.drawn_motions(result.scene, result.trajectory.samples[place]))
      motions.add(one.x, one.R, one.v, one.Omega);
  json.text("positions", base64(motions.positions));
  json.text("attitudes", base64(motions.attitudes));
  json.text("twists", base64(motions.twists));
  write_curves(json, result, options.columns, places);
  json.close();
  const std::string title = result.scene.title.empty() ? result.scene.name : result.scene.title;
  return {filled(replay_source(), {{"TITLE", escaped(title)}, {"DATA", data_block(json.finish())}}), t.size(),
          places.size()};
}

}  // namespace torsor::io
