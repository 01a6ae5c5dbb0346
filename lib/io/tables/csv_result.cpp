#include <utility>

#include "csv_row.hpp"
#include "io/results/result_file.hpp"
#include "io/results/spool.hpp"
#include "torsor/io/csv.hpp"

namespace torsor {
namespace {

constexpr const char* format = "torsor/table/2";

/// Keeps the rows in a spool, because the facts about the run precede them and are known only at the end.
template <class AnyTrajectory>
class CsvResult final : public ResultFile<AnyTrajectory> {
 public:
  using AnySample = typename ResultFile<AnyTrajectory>::AnySample;

  CsvResult(const std::filesystem::path& path, const Scene& scene, const Overwrite& overwrite)
      : scene_(scene), out_(path, marked(overwrite, table_mark(format))), rows_(out_.folder()) {}

  void add(const AnySample& sample) override {
    if (head_.empty()) head_ = table_head(format, columns_of(scene_, sample));
    Row row(rows_.bytes);
    write_row(row, scene_, sample);
    rows_.bytes += '\n';
    rows_.spill();
  }

  void commit(const AnyTrajectory& trajectory) override {
    out_.bytes = head_;
    for (const Fact& fact : facts(scene_, trajectory)) out_.bytes += comment(fact.name, text_of(fact));
    rows_.pour_into(out_);
    out_.commit();
  }

 private:
  const Scene& scene_;
  OutputFile out_;
  Spool rows_;
  std::string head_;  ///< empty before the first sample
};

}  // namespace

template <class AnyTrajectory>
std::unique_ptr<ResultFile<AnyTrajectory>> begin_csv(const std::filesystem::path& path, const Scene& scene,
                                                     const Overwrite& overwrite) {
  return std::make_unique<CsvResult<AnyTrajectory>>(path, scene, overwrite);
}
template std::unique_ptr<ResultFile<Trajectory>> begin_csv(const std::filesystem::path&, const Scene&,
                                                           const Overwrite&);
template std::unique_ptr<ResultFile<ChartTrajectory>> begin_csv(const std::filesystem::path&, const Scene&,
                                                                const Overwrite&);

void write_csv(const std::filesystem::path& path, const Scene& scene, const Trajectory& trajectory,
               const Overwrite& overwrite) {
  write_whole(*begin_csv<Trajectory>(path, scene, overwrite), trajectory);
}
void write_csv(const std::filesystem::path& path, const Scene& scene, const ChartTrajectory& trajectory,
               const Overwrite& overwrite) {
  write_whole(*begin_csv<ChartTrajectory>(path, scene, overwrite), trajectory);
}

}  // namespace torsor
