// Groups become mp.kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/Groups.h"

#include "mlir/IR/IRMapping.h"
#include "mp/IR/Program.h"
#include "mp/IR/Views.h"

using namespace mlir;
using namespace mp;

namespace {

/// Writes the kernels of one function.
class KernelEmitter {
public:
  KernelEmitter(func::FuncOp func, Grouping &grouping)
      : grouping(grouping), terminator(func.getBody().front().getTerminator()), builder(terminator) {
    for (Operation &op : func.getBody().front().without_terminator())
      old.push_back(&op);
  }

  void emit() {
    findEscaping();
    for (unsigned group : sortForLaunch())
      emitGroup(group);
    for (OpOperand &operand : terminator->getOpOperands())
      operand.set(inMemory(operand.get()));
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }

private:
  /// Values that must lie in memory, because another kernel or the caller reads them.
  void findEscaping() {
    auto note = [&](Value value) { escaping.insert(getBase(value)); };
    for (unsigned group = 0; group < grouping.getGroups().size(); ++group)
      for (Value input : grouping.getInputs(group))
        note(input);
    for (Value result : terminator->getOperands())
      note(result);
  }

  /// Groups after those that they read; among those that are ready, those that write state last, so that they find no
  /// reader of the old state behind them, and else the order of the program, which keeps lifetimes short.
  std::vector<unsigned> sortForLaunch() {
    return sortByReads(getReads(grouping), [&](unsigned group) {
      const Group &entry = grouping.getGroups()[group];
      unsigned last = 0;
      for (Operation *op : entry.ops)
        last = std::max(last, grouping.getOrder(op));
      return GroupRank(entry.updates, last);
    });
  }

  /// What stands for an old value between kernels.
  Value inMemory(Value value) {
    if (Value known = memory.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op)
      return value;
    assert((isData(op) || isView(op)) && "a value of a kernel that was not written yet");
    for (Value operand : op->getOperands())
      inMemory(operand);
    return builder.clone(*op, memory)->getResult(0);
  }

  /// The op that a kernel is named after: its first root, what updates state, or what its map ends with.
  static Operation *findRoot(ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      if ((roleOf(op) != KernelRole::Map && roleOf(op) != KernelRole::Movement) || isa<GuardedOpInterface>(op))
        return op;
    return ops.back();
  }

  /// The clone of `value` in the kernel whose values `inside` maps; repeated ops are cloned where they are first read.
  Value inKernel(OpBuilder &body, IRMapping &inside, Value value) {
    if (Value known = inside.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    assert(op && grouping.isRepeated(op) && "neither an input nor a repeated op");
    for (Value operand : op->getOperands())
      inKernel(body, inside, operand);
    return body.clone(*op, inside)->getResult(0);
  }

  void emitGroup(unsigned index) {
    Group &group = grouping.getGroups()[index];
    if (group.ops.empty())
      return;
    llvm::sort(group.ops, [&](Operation *a, Operation *b) { return grouping.getOrder(a) < grouping.getOrder(b); });
    llvm::SetVector<Value> inputs = grouping.getInputs(index);
    SmallVector<Value> operands = llvm::map_to_vector(inputs, [&](Value input) { return inMemory(input); });
    SmallVector<Value> results;
    for (Operation *op : group.ops)
      llvm::append_range(
          results, llvm::make_filter_range(op->getResults(), [&](Value value) { return escaping.contains(value); }));

    Operation *root = findRoot(group.ops);
    std::string name = (root->getName().stripDialect() + "_" + Twine(count++)).str();
    auto kernel = KernelOp::create(builder, root->getLoc(), ValueRange(results).getTypes(), name, operands,
                                   /*schedule=*/nullptr, /*buffers=*/nullptr, /*guard=*/nullptr);
    IRMapping inside;
    Block &block = kernel.getBody().emplaceBlock();
    for (Value input : inputs)
      inside.map(input, block.addArgument(input.getType(), input.getLoc()));
    OpBuilder body = OpBuilder::atBlockEnd(&block);
    for (Operation *op : group.ops) {
      for (Value operand : op->getOperands())
        inKernel(body, inside, operand);
      body.clone(*op, inside);
    }
    YieldOp::create(body, root->getLoc(),
                    llvm::map_to_vector(results, [&](Value value) { return inside.lookup(value); }));
    memory.map(results, kernel.getResults());
  }

  Grouping &grouping;
  Operation *terminator;
  OpBuilder builder;
  std::vector<Operation *> old;
  DenseSet<Value> escaping;
  IRMapping memory;
  unsigned count = 0;
};

} // namespace

void mp::emitKernels(func::FuncOp func, Grouping &grouping) { KernelEmitter(func, grouping).emit(); }
