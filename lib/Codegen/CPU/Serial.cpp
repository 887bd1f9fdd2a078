#include "Codegen/CPU/KernelFunction.h"
mlir::FailureOr<int64_t> mp::emitSerial(KernelFunction &f, SerialScheduleAttr schedule) {
  return f.kernel.emitOpError("has a schedule that native code does not have yet");
}
