// Elements that depend on no other element of the kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/CPUThreadGroup.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitMap(CPUFunction &f, MapScheduleAttr schedule) {
  const int64_t size = schedule.getBlock();
  auto countBlocks = [&](const Nest &nest) { return llvm::divideCeil(nest.elements, size); };
  auto emit = [&](const Nest &nest, Value block) {
    Elements values = f.makeElements();
    f.bindInputs(values);
    NestBody body(f, values, nest);
    if (failed(body.prepare()))
      return failure();
    Value from = f.mul(block, size), to = f.min(f.add(from, f.i64(size)), f.i64(nest.elements));
    return emitNestOnCPU(f, nest, body, schedule.getVector(), from, to, size % schedule.getVector() == 0);
  };
  return f.unlessSkipped([&] { return forNests(f, countBlocks, emit); });
}
