// One value for each block of the elements of a tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/CPUThreadGroup.h"
#include "Codegen/Emit/Reduce.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitPartial(CPUFunction &f, PartialScheduleAttr schedule) {
  CPUThreadGroup group(f, schedule.getVector());
  return emitPartialResults(f, group);
}
