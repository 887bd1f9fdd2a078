// That what a tool prints arrives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StandardOutput.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

static const char *toolName = "";
static std::error_code (*flushOther)() = nullptr;

/// Flushes everything; what is wrong with any of it.
static std::error_code flushAll() {
  std::error_code error = flushOther ? flushOther() : std::error_code();
  errno = 0;
  std::cout.flush();
  std::fflush(stdout);
  if (error || (std::cout && std::ferror(stdout) == 0))
    return error;
  // The stream may have failed long before, without keeping why: what comes behind a gap is lost anyway, and fails
  // again.
  if (errno == 0 && ::write(STDOUT_FILENO, "\n", 1) >= 0)
    errno = EIO;
  return {errno, std::generic_category()};
}

static void endProgram() {
  std::error_code error = flushAll();
  if (!error)
    return;
  std::cerr << toolName << ": error: cannot write to standard output: " << error.message() << std::endl;
  std::_Exit(1); // what is registered for the end of the program must not print again
}

/// Puts something where a standard stream is closed. Otherwise the next file that is opened would take its place, and
/// what is printed would go into that file. What is put there can neither be written to, as an output, nor read from,
/// as an input.
static void occupyClosedStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      // The lowest number that is free is this one.
      (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void mp::checkStandardOutput(const char *tool, std::error_code (*flushMore)()) {
  occupyClosedStreams();
  toolName = tool;
  flushOther = flushMore;
  if (flushMore)
    (void)flushMore(); // makes the stream first: what is made last is destroyed first
  std::atexit(endProgram);
}
