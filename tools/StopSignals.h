// Training that a user stops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_STOPSIGNALS_H
#define MP_TOOLS_STOPSIGNALS_H

#include "mp/Training/Trainer.h"

#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>
#include <unistd.h>

namespace mp {

/// While one lives, the process's first SIGINT or SIGTERM is remembered, for training to end after its step, and the
/// second ends the process. A process has one. A signal that the process was started to ignore stays ignored.
class StopSignals {
public:
  StopSignals() { set(&remember); }
  ~StopSignals() { set(SIG_DFL); }
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// Asks training to stop once a signal has come.
  static bool isCaught() { return caught != 0; }

  /// What a process returns that a signal has ended: 130 or 143.
  static int exitStatus() { return 128 + caught; }

  /// "stopped by SIGINT".
  static std::string describe() { return std::string("stopped by ") + (caught == SIGINT ? "SIGINT" : "SIGTERM"); }

  /// "stopped by SIGINT after step 12".
  static std::string describe(const TrainResult &result) {
    return describe() + " after step " + std::to_string(result.steps);
  }

  /// The same, and what became of the checkpoint.
  static std::string describe(const TrainResult &result, const TrainOptions &options) {
    if (options.checkpoint.empty())
      return describe(result) + "; nothing is saved, because --checkpoint was not given";
    return describe(result) + "; its checkpoint is in " + options.checkpoint + ", --resume goes on from it";
  }

private:
  static void set(void (*handler)(int)) {
    for (int signal : {SIGINT, SIGTERM}) {
      struct sigaction action = {};
      if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
        continue;
      action.sa_handler = handler;
      action.sa_flags = SA_RESTART;
      ::sigaction(signal, &action, nullptr);
    }
  }

  /// Calls only what a handler may call, and leaves errno to what it interrupts.
  static void remember(int signal) {
    const int before = errno;
    caught = signal;
    set(SIG_DFL);
    constexpr std::string_view kText = "\nstopping after this step; the same again ends at once\n";
    [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, kText.data(), kText.size());
    errno = before;
  }

  static inline volatile std::sig_atomic_t caught = 0;
};

} // namespace mp

#endif // MP_TOOLS_STOPSIGNALS_H
