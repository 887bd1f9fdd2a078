// What LeakSanitizer must not take for a leak.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

extern "C" const char *
__lsan_default_suppressions(); // NOLINT(bugprone-reserved-identifier): the sanitizer asks for this name

/// oneTBB frees what stands for an observer when the last thread leaves its arena. A thread that is about to when the
/// process ends is the one that knows of it, in memory that the sanitizer does not look at.
extern "C" const char *__lsan_default_suppressions() { return "leak:tbb::detail::r1::observe\n"; }
