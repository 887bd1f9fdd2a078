// A planned program as a list of commands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Memory/LaunchPlan.h"

#include "Kernels/Memory/Buffers.h"
#include "mp/Analysis/CostModel.h"
#include "mp/IR/Views.h"
#include "mp/Kernels/Memory/Arena.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mp;

using executable::Access;
using executable::BufferSlice;
using executable::Space;

/// The bytes of the first element or of all, as kernels read them: i1 is a byte.
static FailureOr<std::vector<std::byte>> getBytes(ConstantOp op, bool isOne) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements) {
    op.emitOpError("has data of a kind that no executable holds; write it as dense<...>");
    return failure();
  }
  std::vector<std::byte> bytes;
  if (isOne && elements.isSplat())
    elements = elements.resizeSplat(RankedTensorType::get({}, elements.getElementType()));
  if (elements.getElementType().isInteger(1)) {
    for (bool value : elements.getValues<bool>())
      bytes.push_back(static_cast<std::byte>(value));
    return bytes;
  }
  ArrayRef<char> raw = elements.getRawData();
  int64_t size = countBytes(elements.getType());
  for (int64_t i = 0; i < size; i += raw.size()) // a splat holds one element
    for (char byte : raw)
      bytes.push_back(static_cast<std::byte>(byte));
  return bytes;
}

namespace {

class PlanBuilder {
public:
  PlanBuilder(func::FuncOp func, llvm::function_ref<uint32_t(StringRef)> stateIndex)
      : func(func), stateIndex(stateIndex) {}

  FailureOr<LaunchPlan> build() {
    plan.peakBytes = countStateBytes(func);
    for (Operation &op : func.getBody().front().without_terminator())
      if (failed(add(&op)))
        return failure();
    plan.peakBytes += plan.arenaBytes;
    return std::move(plan);
  }

private:
  LogicalResult add(Operation *op) {
    if (isData(op) || isView(op))
      return success(); // they are where they are read
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](KernelOp kernel) { return addLaunch(kernel); })
        .Case([&](CopyOp copy) { return addCopy(copy); })
        .Default([](Operation *other) { return other->emitError("is not a command; run mp-form-kernels first"); });
  }

  /// Where `value` lies. Puts a constant that is read for the first time among the data.
  FailureOr<BufferSlice> locate(Value value) {
    Value base = getBase(value);
    const uint64_t bytes = countBytes(value.getType());
    if (auto constant = base.getDefiningOp<ConstantOp>()) {
      if (bytes == 0) // nothing lies anywhere, and a variant without other data has no constants
        return BufferSlice(Space::Arena, 0, 0, 0);
      FailureOr<uint64_t> offset = addConstant(constant);
      if (failed(offset))
        return failure();
      return BufferSlice(Space::Constant, 0, *offset, bytes);
    }
    if (StringAttr state = getStateName(func, base))
      return BufferSlice(Space::State, stateIndex(state), 0, bytes);
    if (auto argument = dyn_cast<BlockArgument>(base))
      return BufferSlice(Space::Argument, argument.getArgNumber(), 0, bytes);
    Attribute attribute = getBuffer(base);
    if (!attribute)
      return base.getDefiningOp()->emitOpError("has no buffer; run mp-plan-buffers first");
    return TypeSwitch<Attribute, FailureOr<BufferSlice>>(attribute)
        .Case([&](ArenaBufferAttr arena) {
          const uint64_t offset = arena.getOffset();
          plan.arenaBytes = std::max(plan.arenaBytes, llvm::alignTo(offset + bytes, kBufferAlignment));
          return BufferSlice(Space::Arena, 0, offset, bytes);
        })
        .Case([&](StateBufferAttr state) { return BufferSlice(Space::State, stateIndex(state.getState()), 0, bytes); })
        .Case([&](ResultBufferAttr result) { return BufferSlice(Space::Result, result.getIndex(), 0, bytes); });
  }

  FailureOr<uint64_t> addConstant(ConstantOp op) {
    auto [found, inserted] = offsets.try_emplace(op, 0);
    if (!inserted)
      return found->second;
    FailureOr<std::vector<std::byte>> bytes = getBytes(op, /*isOne=*/false);
    if (failed(bytes))
      return failure();
    found->second = llvm::alignTo(plan.constants.size(), kBufferAlignment);
    plan.constants.resize(found->second);
    plan.constants.insert(plan.constants.end(), bytes->begin(), bytes->end());
    return found->second;
  }

  template <typename Table> void addCommand(Table table) {
    auto command = std::make_unique<executable::CommandT>();
    command->what.Set(std::move(table));
    plan.commands.push_back(std::move(command));
  }

  LogicalResult addLaunch(KernelOp kernel) {
    executable::LaunchT launch;
    launch.kernel = kernel.getKernelName().str();
    SmallVector<BufferSlice> slices;
    SmallVector<Value> values(kernel.getInputs());
    llvm::append_range(values, kernel.getResults());
    for (Value value : values) {
      FailureOr<BufferSlice> slice = locate(value);
      if (failed(slice))
        return failure();
      launch.bytes += slice->bytes();
      slices.push_back(*slice);
    }
    const size_t inputs = kernel.getInputs().size();
    for (auto [index, slice] : llvm::enumerate(slices)) {
      const bool isInput = index < inputs;
      const bool updates = llvm::is_contained(
          isInput ? ArrayRef(slices).drop_front(inputs) : ArrayRef(slices).take_front(inputs), slice);
      // With a guard, a skipped step leaves what lies there.
      const bool isReadWrite = updates || (!isInput && kernel.getGuard());
      launch.buffers.emplace_back(slice, isReadWrite ? Access::ReadWrite : isInput ? Access::Read : Access::Write);
    }

    Work work = countWork(kernel);
    double operations = 0;
    for (size_t i = 0; i < work.mapOperations.size(); ++i)
      operations += work.mapOperations[i] + work.contractionOperations[i];
    launch.flops = static_cast<uint64_t>(operations);
    addCommand(std::move(launch));
    plan.kernels.push_back(kernel);
    return success();
  }

  LogicalResult addCopy(CopyOp copy) {
    FailureOr<BufferSlice> destination = locate(copy.getResult());
    if (failed(destination))
      return failure();
    if (destination->bytes() == 0)
      return success();
    if (auto constant = getBase(copy.getInput()).getDefiningOp<ConstantOp>())
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()); elements && elements.isSplat())
        return addFill(constant, *destination);
    FailureOr<BufferSlice> source = locate(copy.getInput());
    if (failed(source))
      return failure();
    executable::CopyT command;
    command.source = std::make_unique<BufferSlice>(*source);
    command.destination = std::make_unique<BufferSlice>(*destination);
    addCommand(std::move(command));
    return success();
  }

  LogicalResult addFill(ConstantOp constant, const BufferSlice &destination) {
    FailureOr<std::vector<std::byte>> bytes = getBytes(constant, /*isOne=*/true);
    if (failed(bytes))
      return failure();
    executable::FillT fill;
    fill.destination = std::make_unique<BufferSlice>(destination);
    fill.pattern_bytes = llvm::divideCeil(cast<RankedTensorType>(constant.getType()).getElementTypeBitWidth(), 8);
    if (!bytes->empty())
      std::memcpy(&fill.pattern, bytes->data(), fill.pattern_bytes);
    addCommand(std::move(fill));
    return success();
  }

  func::FuncOp func;
  llvm::function_ref<uint32_t(StringRef)> stateIndex;
  LaunchPlan plan;
  DenseMap<ConstantOp, uint64_t> offsets;
};

} // namespace

FailureOr<LaunchPlan> mp::buildLaunchPlan(func::FuncOp func, llvm::function_ref<uint32_t(StringRef)> stateIndex) {
  return PlanBuilder(func, stateIndex).build();
}
