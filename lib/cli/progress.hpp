#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace torsor::cli {

/// "3 min 05 s".
std::string duration(double seconds);

/// "t = 4.2 of 20 s", with the digits that show a thousandth of the run from t_begin to t_end.
std::string time_of(double t, double t_begin, double t_end);

/// "pendulum [=====     ]  21 %  t = 4.2 of 20 s  3 s left" in at most `width` characters. If the space is
/// not sufficient, the bar of 24 characters becomes shorter, then the parts after the percentage are
/// dropped, beginning with the first, until one is left; then the bar is dropped.
std::string progress_line(const std::string& name, double share, std::vector<std::string> parts, int width);

/// A line on standard error that shows progress. The destructor erases it.
class StatusLine {
 public:
  /// The line appears after the time `quiet`, and only on a terminal.
  StatusLine(bool wanted, std::chrono::milliseconds quiet);
  ~StatusLine() { erase(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether the line is to be updated now; true at most ten times a second.
  bool due();
  void show(const std::string& name, double share, std::vector<std::string> parts);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_, shown_ = false;
  Clock::time_point next_;
};

/// The status line of a run that takes more than two seconds: share done, time of the motion, expected time
/// left.
class Progress {
 public:
  Progress(std::string name, double t_begin, double t_end, bool wanted);

  /// Reports that the run has reached the time t.
  void at(double t);
  void erase() { line_.erase(); }

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_;
  double t_begin_, t_end_;
  StatusLine line_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace torsor::cli
