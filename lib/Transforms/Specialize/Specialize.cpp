// Give the open batch size a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Transforms/Passes.h"

#include "Transforms/Specialize/RowOrder.h"
#include "Transforms/Specialize/RowWeights.h"
#include "mlir/IR/BuiltinOps.h"
#include "mp/IR/MP.h"
#include "mp/IR/Program.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

namespace mp {
#define GEN_PASS_DEF_SPECIALIZEPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

static bool isOpen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

static bool hasOpenBatch(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 0 && tensor.isDynamicDim(0);
}

/// Fills the open sizes of a result with the inferred ones. Sizes that the model states stay: the verifier and this
/// compare, and neither changes them.
static LogicalResult setShape(OpResult result, ArrayRef<int64_t> inferred) {
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, known] : llvm::zip_equal(shape, inferred))
    if (ShapedType::isDynamic(size))
      size = known;
    else if (size != known)
      return result.getOwner()->emitOpError("result #")
             << result.getResultNumber() << " is declared " << type << ", but this batch changes its size " << size
             << " into " << known;
  result.setType(type.clone(shape));
  return success();
}

/// The results of an op that ends in a return-like terminator have the types that it returns.
static Operation *getYield(Operation *op) {
  if (op->getNumRegions() != 1 || !llvm::hasSingleElement(op->getRegion(0)) || op->getRegion(0).front().empty())
    return nullptr;
  Operation *last = &op->getRegion(0).front().back();
  return last->hasTrait<mlir::OpTrait::ReturnLike>() && last->getNumOperands() == op->getNumResults() ? last : nullptr;
}

static LogicalResult specializeOp(Operation *op) {
  if (Operation *yield = getYield(op)) {
    for (auto [result, value] : llvm::zip_equal(op->getResults(), yield->getOperands()))
      result.setType(value.getType());
  } else if (auto inferred = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    if (failed(inferred.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
                                         op->getPropertiesStorage(), op->getRegions(), types)))
      return failure();
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && failed(setShape(result, tensor.getShape())))
        return failure();
  } else if (auto shaped = dyn_cast<ShapeOpInterface>(op)) {
    SmallVector<int64_t> shape;
    if (failed(shaped.inferShape(shape)) || failed(setShape(op->getResult(0), shape)))
      return failure();
  }
  for (OpResult result : op->getResults())
    if (failed(mp::OpTrait::verifyCountableValues(op)))
      return failure(); // before a size that does not fit 64 bits is made of this one
    else if (isOpen(result.getType()))
      return op->emitOpError("keeps an open size: result #")
             << result.getResultNumber() << " has type " << result.getType();
  return success();
}

/// Gives the inputs their sizes and infers all others, in the order of the ops, the inside of a region before its op.
static LogicalResult specializeProgram(func::FuncOp program, int64_t batch) {
  UnitAttr unit = UnitAttr::get(program.getContext());
  for (unsigned i = 0; i < program.getNumResults(); ++i)
    if (hasOpenBatch(program.getResultTypes()[i]))
      program.setResultAttr(i, names::batched, unit);
  for (BlockArgument argument : program.getArguments()) {
    if (!hasOpenBatch(argument.getType()))
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = batch;
    argument.setType(type.clone(shape));
    program.setArgAttr(argument.getArgNumber(), names::batched, unit);
  }
  WalkResult walked = program.getBody().walk(
      [](Operation *op) { return failed(specializeOp(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
  if (walked.wasInterrupted())
    return failure();
  program.setFunctionType(FunctionType::get(program.getContext(), program.getBody().getArgumentTypes(),
                                            getReturn(program).getOperandTypes()));
  // A result of several rows for each, as of a reshape, is none of each row.
  for (unsigned i = 0; i < program.getNumResults(); ++i)
    if (program.getResultAttr(i, names::batched) &&
        cast<RankedTensorType>(program.getResultTypes()[i]).getDimSize(0) != batch)
      program.removeResultAttr(i, StringAttr::get(program.getContext(), names::batched));
  program->setAttr(names::batch, IntegerAttr::get(IntegerType::get(program.getContext(), 64), batch));
  return success();
}

namespace {
struct SpecializePass : mp::impl::SpecializePassBase<SpecializePass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(specializeModule(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult specializeModule(ModuleOp module) {
    SmallVector<int64_t> batches = {batch};
    llvm::append_range(batches, otherBatches);
    for (int64_t size : batches)
      if (size < 1)
        return module.emitError("mp-specialize: batch is ") << size << ", expected at least 1";
    if (std::set<int64_t>(batches.begin(), batches.end()).size() != batches.size())
      return module.emitError("mp-specialize: a batch is given twice: ") << list(batches);
    SmallVector<func::FuncOp> programs = llvm::filter_to_vector(
        module.getOps<func::FuncOp>(), [](func::FuncOp func) { return getProgramKind(func).has_value(); });
    if (programs.empty())
      return module.emitError("mp-specialize: no function here has mp.program, so that there is nothing to specialize");
    SymbolTable symbols(module);
    for (func::FuncOp program : programs) {
      if (getProgramKind(program) == ProgramKind::Derive)
        continue; // of parameters alone: no batch is its own
      if (program->hasAttr(names::batch)) {
        if (failed(checkKnown(program, programs, batches)) || failed(weighRows(program)))
          return failure();
        continue;
      }
      markOpsCombiningRows(program);
      FailureOr<SmallVector<func::FuncOp>> copies = copyForOthers(program, symbols, batches);
      if (failed(copies))
        return failure();
      for (auto [own, size] : llvm::zip(*copies, batches))
        if (failed(specializeProgram(own, size)) || failed(weighRows(own)))
          return failure();
    }
    return success();
  }

  static std::string list(ArrayRef<int64_t> batches) {
    return llvm::join(llvm::map_range(batches, [](int64_t size) { return std::to_string(size); }), ", ");
  }

  /// A program that is specialized is there for all that are asked for.
  static LogicalResult checkKnown(func::FuncOp program, ArrayRef<func::FuncOp> programs, ArrayRef<int64_t> batches) {
    std::set<int64_t> known;
    for (func::FuncOp other : programs)
      if (auto size = other->getAttrOfType<IntegerAttr>(names::batch);
          size && getProgramKind(other) == getProgramKind(program))
        known.insert(size.getInt());
    if (known == std::set<int64_t>(batches.begin(), batches.end()))
      return success();
    return program.emitError("is specialized for a batch of ")
           << list(SmallVector<int64_t>(known.begin(), known.end())) << " already, asked for " << list(batches)
           << "; ask for that one, or specialize the model, whose batch is open";
  }

  /// The program, and behind it a copy for each further batch. What has no rows is there once.
  static FailureOr<SmallVector<func::FuncOp>> copyForOthers(func::FuncOp program, SymbolTable &symbols,
                                                            ArrayRef<int64_t> batches) {
    SmallVector<func::FuncOp> all = {program};
    const bool isFixed = llvm::none_of(program.getArgumentTypes(), hasOpenBatch);
    if (batches.size() > 1 && isFixed && getProgramKind(program) == ProgramKind::Model)
      return program.emitError("has no open size, so that it is the same for batches of ")
             << list(batches) << "; ask for one";
    for (int64_t size : isFixed ? ArrayRef<int64_t>() : batches.drop_front()) {
      func::FuncOp copy = program.clone();
      copy.setSymName((program.getSymName() + "_" + std::to_string(size)).str());
      symbols.insert(copy, std::next(all.back()->getIterator()));
      all.push_back(copy);
    }
    return all;
  }

  LogicalResult weighRows(func::FuncOp program) {
    if (!pad || getProgramKind(program) != ProgramKind::Model)
      return success();
    eraseDeadOps(program); // which combine nothing
    return addRowWeights(program);
  }

  /// Ops can tell only while the batch is open whether they combine rows; a mark tells later stages.
  void markOpsCombiningRows(func::FuncOp program) {
    for (auto [op, isWeighed] : opsWhereRowsMeet(program)) {
      auto weighted = dyn_cast<RowWeightsOpInterface>(op);
      RankedTensorType type = weighted ? weighted.getRowWeightsType() : RankedTensorType();
      const bool isInside = type && !isWeighed && (type.getRank() == 0 || !type.isDynamicDim(0));
      op->setAttr(names::combinesRows, UnitAttr::get(op->getContext()));
      if (isInside)
        op->setAttr(names::rowsInside, UnitAttr::get(op->getContext()));
    }
  }
};
} // namespace
