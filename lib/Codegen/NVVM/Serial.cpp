// One block that runs op after op, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Serial.h"
#include "Codegen/NVVM/GPUThreadGroup.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitGPUSerial(GPUFunction &f, SerialScheduleAttr schedule) {
  GPUThreadBlock block(f, schedule.getVector());
  if (failed(emitSerially(f, block)))
    return failure();
  return 1;
}
