// Which build of the compiler this is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_BUILD_BUILDID_H
#define MP_LIB_CODEGEN_BUILD_BUILDID_H

#include <string>

namespace mp {

/// What changes with every build of the program or library that this is linked into: the build id that its linker
/// wrote, or where there is none a hash of the file.
const std::string &buildId();

} // namespace mp

#endif // MP_LIB_CODEGEN_BUILD_BUILDID_H
