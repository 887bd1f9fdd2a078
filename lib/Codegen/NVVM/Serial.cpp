//===- Serial.cpp - one block that runs op after op, on a GPU --------------------------------------------------===//

#include "Codegen/Reduce/Serial.h"
#include "Codegen/NVVM/GPUTeam.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitGPUSerial(GPUFunction &f, SerialScheduleAttr schedule) {
  GPUCrew crew(f, schedule.getVector());
  if (failed(emitSerially(f, crew, /*keepsRows=*/false)))
    return failure();
  return 1;
}
