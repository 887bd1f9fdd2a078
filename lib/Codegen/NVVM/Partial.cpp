//===- Partial.cpp - one value for each block of the elements of a tensor, on a GPU ---------------------------===//

#include "Codegen/NVVM/GPUTeam.h"
#include "Codegen/Reduce/Reduce.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitGPUPartial(GPUFunction &f, PartialScheduleAttr schedule) {
  GPUTeam team(f, f.threads, schedule.getVector());
  return emitPartialResults(f, team);
}
