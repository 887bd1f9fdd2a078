// What steps of k add to where elements lie, looked up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/StepTable.h"

using namespace mlir;
using namespace mp;

// Numbers of an entry, of 64 bits each.
static constexpr int64_t kNumbers = 2;

StepTable::StepTable(GPUFunction &f, ArrayRef<Entry> entries, int64_t stretches, bool isOneAccess)
    : f(f), stretches(stretches), isOneAccess(isOneAccess) {
  SmallVector<int64_t> values;
  for (const Entry &entry : entries)
    values.append({entry.distance, entry.bits});
  table = f.allocateConstants(values);
}

void StepTable::startAt(Value stretch) { start = f.offset(table, f.b.getI64Type(), f.mul(stretch, kNumbers)); }

StepTable::Found StepTable::find(Value step, int64_t further) {
  LaneBuilder &b = f.b;
  Type i64 = b.getI64Type();
  Value index = f.mul(b.createOrFold<arith::ExtSIOp>(i64, step), kNumbers * stretches);
  Value entry = f.offset(f.offset(start, i64, index), i64, kNumbers * further);
  auto distance = LLVM::LoadOp::create(b, i64, entry, /*alignment=*/Chip::kAccessBytes);
  auto bits = LLVM::LoadOp::create(b, isOneAccess ? i64 : Type(b.getI32Type()), f.offset(entry, i64, 1),
                                   /*alignment=*/8);
  distance.setInvariant(true);
  bits.setInvariant(true);
  return {distance, isOneAccess ? arith::TruncIOp::create(b, b.getI32Type(), bits) : bits.getResult()};
}
