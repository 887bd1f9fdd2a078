// That what a tool prints arrives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_STANDARDOUTPUT_H
#define MP_TOOLS_STANDARDOUTPUT_H

#include <system_error>

namespace mp {

/// To be called first in main. However the program ends from then on (by return or by exit(), of a library that printed
/// a help text, say), its exit status is 1, with one line on standard error, if something that it printed could not be
/// written: to a full disk, or to a standard output that is closed. A program that prints nothing minds neither.
/// `flushMore` flushes a stream beside std::cout and stdout and says what is wrong with it.
void checkStandardOutput(const char *tool, std::error_code (*flushMore)() = nullptr);

} // namespace mp

#endif // MP_TOOLS_STANDARDOUTPUT_H
