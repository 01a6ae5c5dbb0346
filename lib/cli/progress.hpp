#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace torsor::cli {

/// "3 min 05 s".
std::string duration(double seconds);

/// "pendulum [=====     ]  21 %  t = 4.2 of 20 s  3 s left" in `width` characters at most. Where there is no
/// room the bar of 24 characters is shorter, the parts behind the percentage go, the first one first, then
/// the bar.
std::string progress_line(const std::string& name, double share, std::vector<std::string> parts, int width);

/// A line of standard error that tells people how far something is; gone when this object is.
class StatusLine {
 public:
  /// Nothing is shown before `quiet` has passed, nor where nobody reads.
  StatusLine(bool wanted, std::chrono::milliseconds quiet);
  ~StatusLine() { erase(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether it is time to show it anew, ten times a second.
  bool due();
  void show(const std::string& name, double share, std::vector<std::string> parts);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_, shown_ = false;
  Clock::time_point next_;
};

/// That of a run which takes more than two seconds: how far, at what time of the motion, how long still.
class Progress {
 public:
  Progress(std::string name, double t_begin, double t_end, bool wanted);

  /// The run has come to time t.
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
