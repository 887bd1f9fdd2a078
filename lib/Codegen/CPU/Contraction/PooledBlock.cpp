// Blocks of a product that are pooled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/PooledBlock.h"

#include "Codegen/CPU/CPUThreadGroup.h"

using namespace mlir;
using namespace mp;

PooledBlock::PooledBlock(CPUFunction &f, const Pooled &pooled, int64_t blockRows, int64_t vector)
    : f(f), pooled(pooled), channels(shapeOf(pooled.image()).back()), vector(vector),
      element(memoryType(elementOf(pooled.image()))), kept(f.allocate(element, blockRows * channels)) {}

Value PooledBlock::begin(Value first) { return f.offset(kept, element, f.mul(first, -channels)); }

LogicalResult PooledBlock::emit(Value memory, Value first, Value rows) {
  // Values of their own: what was kept is read now, not computed again.
  Elements values = f.makeElements();
  f.bindInputs(values);
  values.bindMemory(pooled.image(), memory);
  auto resultsBefore = [&](Value row) {
    return f.mul(f.div(row, pooled.pixels.image), pooled.pixels.result * channels);
  };
  const Nest nest = {pooled.results, {}, typeOf(pooled.op->getResult(0)).getNumElements()};
  NestBody body(f, values, nest);
  if (failed(body.prepare()))
    return failure();
  return emitNestOnCPU(f, nest, body, vector, resultsBefore(first), resultsBefore(f.add(first, rows)),
                       channels % vector == 0);
}
