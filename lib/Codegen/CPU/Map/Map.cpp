// Elements that depend on no other element of the kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/CPUThreadGroup.h"
#include "Codegen/CPU/Map/PackedNest.h"
#include "Codegen/CPU/Map/PixelNest.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitMap(CPUFunction &f, MapScheduleAttr schedule) {
  auto sizeOf = [&](const Nest &nest) {
    const std::optional<PixelNest> pixels = PixelNest::find(f, nest);
    const int64_t granule = pixels ? pixels->granule(schedule.getBlock()) : PackedNest::granule(f, nest);
    return static_cast<int64_t>(llvm::alignTo(schedule.getBlock(), granule));
  };
  auto countBlocks = [&](const Nest &nest) { return llvm::divideCeil(nest.elements, sizeOf(nest)); };
  // A block is of one nest: nests have the same scratch memory.
  const int64_t before = f.scratchBytes;
  int64_t most = before;
  auto emit = [&](const Nest &nest, Value block) {
    f.scratchBytes = before;
    const int64_t size = sizeOf(nest);
    Elements values = f.makeElements();
    f.bindInputs(values);
    NestBody body(f, values, nest);
    Value from = f.mul(block, size), to = f.min(f.add(from, f.i64(size)), f.i64(nest.elements));
    PackedNest packed(f, nest, schedule.getVector());
    packed.keepInputs(body, size, from);
    most = std::max(most, f.scratchBytes);
    if (failed(body.prepare()))
      return failure();
    // Where something else walks in shorter runs, channels are not apart from pixels.
    if (const auto pixels = PixelNest::find(f, nest); pixels && body.run == pixels->channels())
      return pixels->emit(f, body, values, schedule.getVector(), from, to, size);
    if (failed(emitNestOnCPU(f, nest, body, schedule.getVector(), from, to, size % schedule.getVector() == 0)))
      return failure();
    return packed.emit(from, to);
  };
  FailureOr<int64_t> grid = f.unlessSkipped([&] { return forNests(f, countBlocks, emit); });
  f.scratchBytes = most;
  return grid;
}
