#include "Codegen/CPU/KernelFunction.h"
mlir::FailureOr<int64_t> mp::emitRow(KernelFunction &f, RowScheduleAttr schedule) {
  return f.kernel.emitOpError("has a schedule that native code does not have yet");
}
