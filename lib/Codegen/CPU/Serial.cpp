// One block that runs op after op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Serial.h"
#include "Codegen/CPU/CPUTeam.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitSerial(CPUFunction &f, SerialScheduleAttr schedule) {
  CPUCrew crew(f, schedule.getVector());
  if (failed(emitSerially(f, crew, /*keepsRows=*/true)))
    return failure();
  return 1;
}
