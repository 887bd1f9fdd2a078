// How far a compilation is, on a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/CompileProgress.h"

#include <iostream>
#include <unistd.h>

namespace mp {

static constexpr std::chrono::milliseconds kBefore{1000}, kBetween{100};
/// To the start of the line, which is cleared.
static constexpr const char *kClear = "\r\033[K";

CompileProgress::CompileProgress(std::string title) : title(std::move(title)) {}

CompileProgress::~CompileProgress() {
  if (isDrawn)
    std::cerr << kClear << std::flush;
}

CompileOptions CompileProgress::on(CompileOptions options) {
  if (::isatty(STDERR_FILENO))
    options.onProgress = [this](llvm::StringRef stage, size_t done, size_t count) { show(stage, done, count); };
  return options;
}

void CompileProgress::show(llvm::StringRef stage, size_t done, size_t count) {
  const Clock::time_point now = Clock::now();
  if (now - start < kBefore || now - last < kBetween)
    return;
  last = now;
  isDrawn = true;
  std::cerr << kClear << "compiling" << (title.empty() ? "" : " " + title) << ": " << stage.str();
  if (count > 0)
    std::cerr << ' ' << done << '/' << count;
  std::cerr << ", " << std::chrono::duration_cast<std::chrono::seconds>(now - start).count() << " s\r"
            << std::flush; // what is printed next begins where this did
}

} // namespace mp
