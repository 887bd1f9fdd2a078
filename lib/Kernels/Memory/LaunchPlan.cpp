// A planned program as a list of commands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Memory/LaunchPlan.h"

#include "Kernels/Memory/Buffers.h"
#include "mp/Analysis/CostModel.h"
#include "mp/Kernels/Memory/Arena.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <map>

using namespace mlir;
using namespace mp;

using Space = PlannedSlice::Space;

/// The bytes of one element or of all, as kernels read them: i1 is a byte.
static FailureOr<std::vector<std::byte>> getBytes(ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements) {
    op.emitOpError("has data of a kind that no executable holds; write it as dense<...>");
    return failure();
  }
  std::vector<std::byte> bytes;
  if (elements.getElementType().isInteger(1)) {
    for (bool value : elements.getValues<bool>())
      bytes.push_back(static_cast<std::byte>(value));
    return bytes;
  }
  ArrayRef<char> raw = elements.getRawData();
  int64_t size = countBytes(op.getType());
  for (int64_t i = 0; i < size; i += raw.size()) // a splat holds one element
    for (char byte : raw)
      bytes.push_back(static_cast<std::byte>(byte));
  return bytes;
}

namespace {

class PlanBuilder {
public:
  explicit PlanBuilder(func::FuncOp func) : func(func) {}

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
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](KernelOp kernel) { return addLaunch(kernel); })
        .Case([&](CopyOp copy) { return addCopy(copy); })
        .Case<ConstantOp, ReshapeOp>([](auto) { return success(); }) // data and views: where they are read
        .Default([](Operation *other) { return other->emitError("is no command; run mp-form-kernels first"); });
  }

  /// Where `value` lies. Puts a constant that is read for the first time among the data.
  FailureOr<PlannedSlice> locate(Value value) {
    Value base = getBase(value);
    PlannedSlice slice;
    slice.bytes = countBytes(value.getType());
    if (auto constant = base.getDefiningOp<ConstantOp>()) {
      slice.space = Space::Constant;
      FailureOr<int64_t> offset = addConstant(constant);
      if (failed(offset))
        return failure();
      slice.offset = *offset;
      return slice;
    }
    if (auto argument = dyn_cast<BlockArgument>(base)) {
      if (StringAttr state = getStateName(func, base)) {
        slice.space = Space::State;
        slice.state = state.str();
        return slice;
      }
      slice.space = Space::Argument;
      slice.index = argument.getArgNumber();
      return slice;
    }
    Attribute attribute = getBuffer(base);
    if (!attribute)
      return base.getDefiningOp()->emitOpError("has no buffer; run mp-plan-buffers first");
    TypeSwitch<Attribute>(attribute)
        .Case([&](ArenaBufferAttr arena) {
          slice.offset = arena.getOffset();
          int64_t end = llvm::alignTo(slice.offset + slice.bytes, kBufferAlignment);
          plan.arenaBytes = std::max(plan.arenaBytes, end);
        })
        .Case([&](StateBufferAttr state) {
          slice.space = Space::State;
          slice.state = state.getState().str();
        })
        .Case([&](ResultBufferAttr result) {
          slice.space = Space::Result;
          slice.index = result.getIndex();
        });
    return slice;
  }

  FailureOr<int64_t> addConstant(ConstantOp op) {
    auto [found, inserted] = offsets.try_emplace(op, 0);
    if (!inserted)
      return found->second;
    FailureOr<std::vector<std::byte>> bytes = getBytes(op);
    if (failed(bytes))
      return failure();
    found->second = llvm::alignTo(plan.constants.size(), kBufferAlignment);
    plan.constants.resize(found->second);
    plan.constants.insert(plan.constants.end(), bytes->begin(), bytes->end());
    return found->second;
  }

  LogicalResult addLaunch(KernelOp kernel) {
    LaunchCommand launch;
    launch.kernel = kernel;
    auto append = [&](Value value, BufferAccess access) -> LogicalResult {
      FailureOr<PlannedSlice> slice = locate(value);
      if (failed(slice))
        return failure();
      launch.bytes += slice->bytes;
      launch.buffers.push_back({*slice, access});
      return success();
    };
    for (Value input : kernel.getInputs())
      if (failed(append(input, BufferAccess::Read)))
        return failure();
    for (Value result : kernel.getResults())
      if (failed(append(result, BufferAccess::Write)))
        return failure();

    size_t inputs = kernel.getInputs().size();
    for (size_t result = inputs; result < launch.buffers.size(); ++result)
      for (size_t input = 0; input < inputs; ++input)
        if (launch.buffers[input].slice == launch.buffers[result].slice)
          launch.buffers[input].access = launch.buffers[result].access = BufferAccess::ReadWrite;
    // A skipped step leaves what lies there.
    if (kernel.getGuard())
      for (size_t result = inputs; result < launch.buffers.size(); ++result)
        launch.buffers[result].access = BufferAccess::ReadWrite;

    Work work = countWork(kernel);
    double operations = 0;
    for (size_t i = 0; i < work.mapOperations.size(); ++i)
      operations += work.mapOperations[i] + work.contractionOperations[i];
    launch.operations = static_cast<int64_t>(operations);
    plan.commands.push_back(std::move(launch));
    ++plan.kernels;
    return success();
  }

  LogicalResult addCopy(CopyOp copy) {
    FailureOr<PlannedSlice> destination = locate(copy.getResult());
    if (failed(destination))
      return failure();
    if (destination->bytes == 0)
      return success();
    if (auto constant = getBase(copy.getInput()).getDefiningOp<ConstantOp>())
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()); elements && elements.isSplat())
        return addFill(constant, *destination);
    FailureOr<PlannedSlice> source = locate(copy.getInput());
    if (failed(source))
      return failure();
    plan.commands.push_back(CopyCommand{*source, *destination});
    return success();
  }

  LogicalResult addFill(ConstantOp constant, const PlannedSlice &destination) {
    FailureOr<std::vector<std::byte>> bytes = getBytes(constant);
    if (failed(bytes))
      return failure();
    FillCommand fill;
    fill.destination = destination;
    fill.patternBytes = llvm::divideCeil(cast<RankedTensorType>(constant.getType()).getElementTypeBitWidth(), 8);
    if (!bytes->empty())
      std::memcpy(&fill.pattern, bytes->data(), fill.patternBytes);
    plan.commands.push_back(fill);
    return success();
  }

  func::FuncOp func;
  LaunchPlan plan;
  DenseMap<ConstantOp, int64_t> offsets;
};

} // namespace

FailureOr<LaunchPlan> mp::buildLaunchPlan(func::FuncOp func) { return PlanBuilder(func).build(); }

OpStatistics mp::countOps(func::FuncOp func) {
  OpStatistics statistics;
  std::map<std::string, unsigned> counts;
  func.getBody().walk([&](Operation *op) {
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    if (!kernelOp || op->getNumResults() == 0 ||
        llvm::is_contained({KernelRole::Constant, KernelRole::Movement, KernelRole::None}, kernelOp.getKernelRole()))
      return;
    if (isa<CastOp>(op)) {
      ++statistics.casts;
      return;
    }
    std::string type;
    llvm::raw_string_ostream(type) << cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    ++counts[type];
  });
  statistics.opsByType.assign(counts.begin(), counts.end());
  return statistics;
}
