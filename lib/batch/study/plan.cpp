#include <unistd.h>

#include <cstdio>

#include "batch/lanes/lanes.hpp"
#include "batch/layout.hpp"
#include "batch/workers/workers.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor::batch {
namespace {

/// The memory of this process now (program, scene and libraries), bytes.
double resident_bytes() {
  long pages = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

BatchPlan plan_batch(const Study& study, int threads) {
  const FirstCase first = first_case(study);
  const Layout layout = batch::layout(study, first);
  BatchPlan plan;
  plan.cases = study.cases();
  plan.lanes = Lanes::count(study);
  plan.columns = layout.parameters.size() + layout.results.size() + 3;
  plan.samples = first.samples;

  const double cases = static_cast<double>(plan.cases), columns = static_cast<double>(plan.columns);
  const double trajectory = study.keep.trajectories
                                ? first.samples * static_cast<double>(first.columns.size() * sizeof(double))
                                : 0;
  // Bytes of a number in the ledger (8 and its type) and in the table (16 digits, point, sign, comma), and of
  // the rest of a row in both (the case's number, status, message and hash).
  constexpr double number = 9, decimals = 19, row = 80;
  plan.disk_bytes = cases * (columns * (number + decimals) + row + trajectory);
  // One bit for each case marks it as done. Finished cases wait in a queue; if it is full, the threads wait.
  // Measured: a thread needs 0.3 MB for tops, 10 MB for chains of 1000 rods, and a queue of rows at most 4
  // MB.
  const int count = thread_count({.threads = threads});
  plan.memory_bytes = resident_bytes() + cases / 8 + count * (10e6 + 2 * trajectory) +
                      (study.keep.trajectories ? 5. * sizeof(double) * Workers::most_numbers : 4e6);
  return plan;
}

}  // namespace torsor::batch
