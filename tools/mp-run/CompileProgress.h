// How far a compilation is, on a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_COMPILEPROGRESS_H
#define MP_TOOLS_MP_RUN_COMPILEPROGRESS_H

#include "mp/Pipeline/Pipeline.h"

#include <chrono>

namespace mp {

/// A line of standard error that says how far a compilation is, from its second second on, and is gone when this is.
/// Where standard error is no terminal, nothing is written.
class CompileProgress {
public:
  /// `title` is what is compiled, where there are several; or empty.
  explicit CompileProgress(std::string title = "");
  ~CompileProgress();
  CompileProgress(const CompileProgress &) = delete;
  CompileProgress &operator=(const CompileProgress &) = delete;

  /// The options, whose compilation tells this.
  CompileOptions on(CompileOptions options);

private:
  void show(llvm::StringRef stage, size_t done, size_t count);

  using Clock = std::chrono::steady_clock;

  std::string title;
  Clock::time_point start = Clock::now(), last;
  bool isDrawn = false;
};

} // namespace mp

#endif // MP_TOOLS_MP_RUN_COMPILEPROGRESS_H
