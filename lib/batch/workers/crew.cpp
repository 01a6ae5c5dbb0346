#include "crew.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "batch/study/identity.hpp"
#include "torsor/io/results.hpp"

namespace torsor::batch {
namespace {

using nlohmann::json;

/// Messages are in CBOR, which keeps the value of every number, and also infinity and NaN.
std::string message(const json& content) {
  std::string text;
  json::to_cbor(content, text);
  return text;
}
json content(const std::string& text) { return json::from_cbor(text); }

json packed(const std::vector<Cell>& cells) {
  json all = json::array();
  for (const Cell& cell : cells) std::visit([&all](const auto& value) { all.push_back(value); }, cell);
  return all;
}
std::vector<Cell> cells(const json& all) {
  std::vector<Cell> cells;
  for (const json& one : all)
    cells.push_back(one.is_string() ? Cell(one.get<std::string>()) : Cell(one.get<double>()));
  return cells;
}

/// Packs a result as a list without names: names would be most of the message.
json packed(const CaseResult& result) {
  const CaseRecord& record = result.record;
  json one = json::array({record.number, packed(record.parameters), record.status, record.message,
                          packed(record.results), record.wall_s});
  if (result.whole) {
    const auto& rows = result.whole->rows;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(rows.data());
    one.push_back(result.whole->columns);
    one.push_back(json::binary({bytes, bytes + rows.size() * sizeof(double)}));
  }
  return one;
}
CaseResult unpacked(const json& one) {
  CaseResult result{{one.at(0), cells(one.at(1)), one.at(2), one.at(3), cells(one.at(4)), one.at(5)}, {}};
  if (one.size() > 6) {
    const auto& bytes = one.at(7).get_binary();
    result.whole.emplace(CaseResult::Whole{one.at(6), std::vector<double>(bytes.size() / sizeof(double))});
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(result.whole->rows.data()));
  }
  return result;
}

constexpr const char* stop_now = "stop";
constexpr const char* end_rank = "home";

/// The work of one rank other than 0.
class Hand {
 public:
  Hand(const Study& study, const FirstCase& first, const BatchOptions& options, const json& order)
      : ranks_(*options.ranks),
        options_(options),
        lanes_(lane_count(study, options)),
        under_way_(options.folder, thread_count(options) * lanes_, ranks_.rank()),
        source_(options.shard - 1, options.shards, study.cases(), order.at("done"), options.shuffle),
        feed_(ranks_, source_, thread_count(options)),
        workers_(thread_count(options), lanes_, source_, under_way_, [this, &study, &first](std::int64_t k) {
          return run_case(study, first, k, options_, [this] { return workers_.stopped(); });
        }) {}

  void work() {
    while (!workers_.finished()) {
      json all = json::array();
      for (const CaseResult& result : workers_.take(listening)) all.push_back(packed(result));
      if (!all.empty()) ranks_.send(0, message({{"results", std::move(all)}}));
      do {
        if (ranks_.receive() || (options_.cancelled && options_.cancelled())) workers_.stop();
        if (workers_.hungry()) feed_.bring();
      } while (!rank_0_keeps_up());
    }
    workers_.throw_if_failed();
  }
  bool stopped() const { return workers_.stopped(); }

 private:
  bool rank_0_keeps_up() {
    if (ranks_.unsent() < 16) return true;
    std::this_thread::sleep_for(listening);
    return false;
  }

  Ranks& ranks_;
  const BatchOptions& options_;
  int lanes_;
  UnderWay under_way_;
  CaseSource source_;
  Feed feed_;
  Workers workers_;
};

/// Does the part of this rank in the batch that rank 0 has begun. Returns a message that says whether this
/// part ended early.
json take_part(const Study& study, const BatchOptions& options, const json& order) {
  FirstCase first;
  try {
    first = first_case_with_reference(study, options.cancelled);
  } catch (const scene::SceneError&) {
    if (!options.cancelled || !options.cancelled()) throw;
    return {{"early", true}};  // cancelled during the reference run
  }
  const auto differ =
      differences(order.at("facts"), study_facts(study, first, options.shard, options.shards));
  if (!differ.empty()) throw std::runtime_error(fmt::format("{}", fmt::join(differ, "; ")));
  Hand hand(study, first, options, order);
  hand.work();
  return {{"early", hand.stopped()}};
}

/// Waits until rank 0 begins, does `part`, reports its end to rank 0, and waits until rank 0 ends all ranks.
void answer(Ranks& ranks, const std::function<json(const json& order)>& part) {
  const std::string order = ranks.broadcast({});
  if (order.empty()) return;
  json left;
  try {
    left = part(content(order));
  } catch (const io::IoError& error) {
    left["io_error"] = error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    left["io_error"] = error.what();
  } catch (const std::bad_alloc&) {
    left["code"] = static_cast<int>(std::errc::not_enough_memory);
  } catch (const std::system_error& error) {  // a thread cannot start
    left["code"] = error.code().value();
  } catch (const std::exception& error) {
    left["error"] = error.what();
  }
  left["left"] = ranks.rank();
  ranks.send(0, message(left));
  // A blocking call of MPI would keep a processor busy.
  for (std::optional<std::string> told; told != end_rank || ranks.unsent() > 0;) {
    std::this_thread::sleep_for(listening);
    if (auto next = ranks.receive()) told = std::move(next);
  }
}

}  // namespace

void Feed::bring() {
  const std::int64_t share = (source_.size() - seen_) / (4L * ranks_.size() * threads_);
  const std::int64_t block = std::clamp<std::int64_t>(share, 1, 64);
  const std::int64_t begin = ranks_.fetch_add(block);
  seen_ = begin + block;
  if (begin < source_.size())
    source_.give(begin, std::min(seen_, source_.size()));
  else
    source_.close();
}

void Crew::begin(const Ledger::Facts& facts, const std::vector<bool>& done) {
  ranks_.broadcast(message({{"facts", facts}, {"done", done}}));
  begun_ = true;
}

std::deque<CaseResult> Crew::take() {
  std::deque<CaseResult> all;
  while (const auto text = ranks_.receive()) {
    const json told = content(*text);
    for (const json& one : told.value("results", json::array())) all.push_back(unpacked(one));
    if (!told.contains("left")) continue;
    --at_work_;
    const bool failed = told.contains("io_error") || told.contains("code") || told.contains("error");
    deserted_ = deserted_ || failed || told.value("early", false);
    if (!failed || error_) continue;
    const std::string rank = fmt::format("rank {}", told.at("left").get<int>());
    const auto why = [&](const char* kind) { return rank + ": " + told.at(kind).get<std::string>(); };
    error_ = told.contains("io_error") ? std::make_exception_ptr(io::IoError(why("io_error")))
             : told.contains("code")   ? std::make_exception_ptr(std::system_error(
                                             told.at("code").get<int>(), std::generic_category(), rank))
                                       : std::make_exception_ptr(std::runtime_error(why("error")));
  }
  return all;
}

void Crew::tell(const char* what) {
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, what);
}

void Crew::stop() {
  if (!std::exchange(stopped_, true)) tell(stop_now);
}

Crew::~Crew() {
  if (!begun_) {
    ranks_.broadcast("");
    return;
  }
  if (at_work()) stop();
  while (at_work()) {
    try {
      take();
    } catch (const std::exception&) {  // the first error has been reported
    }
    std::this_thread::sleep_for(listening);
  }
  tell(end_rank);
  while (ranks_.unsent() > 0) std::this_thread::sleep_for(listening);
}

void serve(const Study& study, const BatchOptions& options) {
  answer(*options.ranks, [&](const json& order) { return take_part(study, options, order); });
}

void decline_batch(Ranks& ranks, const std::string& why) {
  answer(ranks, [&why](const json&) -> json { throw std::runtime_error(why); });
}

}  // namespace torsor::batch
