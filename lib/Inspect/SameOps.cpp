// Ops of one model under two policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Inspect/SameOps.h"

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

bool mp::isAutocasts(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  return cast && cast.getAutocast();
}

SameOps::SameOps(func::FuncOp program) {
  llvm::StringMap<unsigned> seen;
  program.walk([&](Operation *op) {
    if (isa<func::FuncOp, func::ReturnOp>(op) || isAutocasts(op))
      return;
    std::string key;
    llvm::raw_string_ostream text(key);
    text << op->getName() << ' ' << op->getLoc() << ' ';
    text << seen[key]++;
    keys[op] = ops.try_emplace(key, op).first->first();
  });
}
