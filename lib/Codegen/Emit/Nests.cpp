// The loop nests of a map kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Nests.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace mp;

SmallVector<Nest> mp::findNests(KernelFunction &f) {
  llvm::MapVector<ArrayRef<int64_t>, Nest> shapes;
  for (auto [index, yield] : llvm::enumerate(f.yields())) {
    auto pack = yield.getDefiningOp<PackOp>();
    const RankedTensorType type = typeOf(pack ? pack.getInput() : yield);
    Nest &nest = shapes[type.getShape()];
    nest.elements = type.getNumElements();
    (pack ? nest.packs : nest.results).push_back(index);
  }
  return llvm::map_to_vector(shapes, [](const auto &entry) { return entry.second; });
}

FailureOr<int64_t> mp::forNests(KernelFunction &f, function_ref<int64_t(const Nest &)> countBlocks,
                                function_ref<LogicalResult(const Nest &, Value)> emit) {
  SmallVector<Nest> nests = findNests(f);
  int64_t grid = 0;
  for (const Nest &nest : nests) {
    const int64_t blocks = countBlocks(nest);
    auto emitBlock = [&](Value block) { return emit(nest, block); };
    if (blocks != 0 && failed(f.forBlocks(grid, blocks, nests.size() == 1, emitBlock)))
      return failure();
    grid += blocks;
  }
  return grid;
}

NestBody::NestBody(KernelFunction &f, Elements &values, const Nest &nest) : f(f), values(values), nest(nest) {
  for (unsigned index : nest.results)
    walk(f.yields()[index]);
}

void NestBody::walk(Value value) {
  yields.push_back(value);
  run = std::gcd(run, values.evenRun(value, 1));
  if (run == 0 || run % nest.elements == 0)
    run = nest.elements;
}

void NestBody::keep(Value value, Value pointer) {
  walk(value);
  kept.emplace_back(value, pointer);
}

LogicalResult NestBody::emit(ArrayRef<Lanes> lanes) {
  Elements::Scope scope(values);
  return f.storeResults(values, nest.results, lanes, [&] {
    for (auto [value, pointer] : kept)
      for (const Lanes &here : lanes) {
        FailureOr<Value> own = values.at(value, here);
        if (failed(own))
          return failure();
        values.store(*own, elementOf(value), pointer, here);
      }
    return success();
  });
}
