#include "Codegen/CPU/KernelFunction.h"
mlir::FailureOr<int64_t> mp::emitPartial(KernelFunction &f, PartialScheduleAttr schedule) {
  return f.kernel.emitOpError("has a schedule that native code does not have yet");
}
