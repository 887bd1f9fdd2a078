//===- Partial.cpp - one value for each block of the elements of a tensor -------------------------------------===//

#include "Codegen/CPU/CPUTeam.h"
#include "Codegen/Reduce/Reduce.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitPartial(CPUFunction &f, PartialScheduleAttr schedule) {
  CPUTeam team(f, schedule.getVector());
  return emitPartialResults(f, team);
}
