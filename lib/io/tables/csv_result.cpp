#include "csv_row.hpp"
#include "io/motion_kind.hpp"
#include "io/results/result_file.hpp"
#include "io/results/spool.hpp"
#include "torsor/io/results.hpp"

namespace torsor::io {
namespace {

constexpr const char* format = "torsor/table/2";

/// Keeps the rows in a spool, because the facts about the run precede them and are known only at the end.
class CsvResult final : public ResultFile {
 public:
  CsvResult(const std::filesystem::path& path, const scene::Scene& scene, const Overwrite& overwrite)
      : scene_(scene),
        out_(path, marked(keep_tables(overwrite, scene), table_mark(format))),
        rows_(out_.folder()) {}

  void add(const Sample& sample) override {
    check_sample(scene_, sample);
    if (head_.empty()) head_ = table_head(format, columns_of(scene_, sample));
    Row row(rows_.bytes);
    motion_kind(scene_).write_row(row, scene_, sample);
    rows_.bytes += '\n';
    rows_.spill();
  }

  void complete(const Trajectory& trajectory) override {
    out_.bytes = head_;
    for (const Fact& fact : facts(scene_, trajectory)) out_.bytes += comment(fact.name, text_of(fact));
    rows_.pour_into(out_);
    out_.complete();
  }
  void remove_earlier() override { out_.remove_earlier(); }
  void commit() override { out_.commit(); }

 private:
  const scene::Scene& scene_;
  OutputFile out_;
  Spool rows_;
  std::string head_;  ///< empty before the first sample
};

}  // namespace

std::unique_ptr<ResultFile> begin_csv(const std::filesystem::path& path, const scene::Scene& scene,
                                      const Overwrite& overwrite) {
  return std::make_unique<CsvResult>(path, scene, overwrite);
}

void write_csv(const std::filesystem::path& path, const scene::Scene& scene, const Trajectory& trajectory,
               const Overwrite& overwrite) {
  write_whole(*begin_csv(path, scene, overwrite), trajectory);
}

}  // namespace torsor::io
