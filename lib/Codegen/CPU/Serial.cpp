// One block that runs op after op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Serial.h"
#include "Codegen/CPU/CPUThreadGroup.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitSerial(CPUFunction &f, SerialScheduleAttr schedule) {
  CPUThreadBlock block(f, schedule.getVector());
  if (failed(emitSerially(f, block)))
    return failure();
  return 1;
}
