#pragma once

#include <chrono>
#include <string>

namespace torsor::cli {

/// "3 min 05 s"; a bar of 24 characters that is filled to `share` of it.
std::string duration(double seconds);
std::string bar(double share);

/// One line on the terminal of standard error for runs that take more than two seconds: how far, at what time
/// of the motion, how long still. It is gone when this object is.
class Progress {
 public:
  Progress(std::string name, double t_begin, double t_end, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The run has come to time t.
  void at(double t);
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(double share, double t, double elapsed_s) const;

  std::string name_;
  double t_begin_, t_end_;
  bool wanted_, shown_ = false;
  Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::seconds(2);
};

}  // namespace torsor::cli
