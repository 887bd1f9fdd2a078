//===- Serial.h - one block that runs op after op -------------------------------------*- C++ -*-===//

#ifndef MP_CODEGEN_REDUCE_SERIAL_H
#define MP_CODEGEN_REDUCE_SERIAL_H

#include "Codegen/Reduce/Team.h"

namespace mp {

/// Every op of the kernel in order, by `crew`. With `keepsRows` the exponentials of a softmax are kept in its memory.
mlir::LogicalResult emitSerially(KernelFunction &f, Crew &crew, bool keepsRows);

} // namespace mp

#endif // MP_CODEGEN_REDUCE_SERIAL_H
