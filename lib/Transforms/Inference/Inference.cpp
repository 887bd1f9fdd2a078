// The programs that run a model without training it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Transforms/Passes.h"

#include "Transforms/Inference/Labels.h"
#include "Transforms/Inference/RunningStatistics.h"
#include "Transforms/Specialize/RowWeights.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mp/IR/Folds.h"
#include "mp/IR/Program.h"

namespace mp {
#define GEN_PASS_DEF_INFERENCEPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

static bool hasResult(func::FuncOp program, ArrayRef<ResultRole> roles) {
  return llvm::any_of(roles, [&](ResultRole role) { return findResult(program, role).has_value(); });
}

static bool hasBatchedArgument(func::FuncOp program) {
  return llvm::any_of(llvm::seq(program.getNumArguments()),
                      [&](unsigned i) { return bool(program.getArgAttr(i, names::batched)); });
}

/// Row weights have the batch's size, and padding is for programs whose batch is known.
static LogicalResult verifySpecialized(func::FuncOp model) {
  for (BlockArgument argument : model.getArguments())
    if (!cast<ShapedType>(argument.getType()).hasStaticShape())
      return emitError(argument.getLoc(), "has an open size; run mp-specialize before mp-inference");
  return success();
}

/// Lets a program that draws random numbers go on with its generator, so that no two runs draw the same.
static void advanceGenerator(func::FuncOp program) {
  BlockArgument rng = getStates(program).lookup(states::rng);
  if (!rng || rng.use_empty())
    return;
  OpBuilder builder(getReturn(program));
  SignatureEdit edit(program);
  edit.addResult(AdvanceOp::create(builder, program.getLoc(), rng, Value()), ResultRole::Next, states::rng);
  edit.commit();
}

/// A copy of `model` behind it, in which nothing is dropped at random, batches are normalized by running statistics,
/// and only results of the roles in `kept` are left.
static FailureOr<func::FuncOp> cloneFor(func::FuncOp model, SymbolTable &symbols, ProgramKind kind,
                                        ArrayRef<ResultRole> kept) {
  func::FuncOp program = model.clone();
  setProgramKind(program, kind);
  program.setSymName(stringifyProgramKind(kind));
  symbols.insert(program, std::next(model->getIterator()));
  program.walk([](RandomOpInterface random) { random.dropRandomness(); });
  dropGradientRules(program);
  if (failed(useRunningStatistics(program)))
    return failure();
  SignatureEdit edit(program);
  for (unsigned i = 0; i < program.getNumResults(); ++i)
    if (!llvm::is_contained(kept, getResultRole(program, i)))
      edit.eraseResult(i);
  edit.commit();
  eraseDeadOps(program);
  advanceGenerator(program);
  if (failed(verifyBatchStatistics(program)))
    return failure();
  return program;
}

/// Loss, metrics and outputs over every row that is not padding.
static LogicalResult addEval(func::FuncOp model, SymbolTable &symbols) {
  FailureOr<func::FuncOp> cloned =
      cloneFor(model, symbols, ProgramKind::Eval, {ResultRole::Loss, ResultRole::Metric, ResultRole::Output});
  if (failed(cloned))
    return failure();
  func::FuncOp eval = *cloned;
  eraseUnusedArguments(eval, [&](unsigned i) { return getArgumentRole(eval, i) == ArgumentRole::State; });
  // Without weights the runtime takes full batches alone.
  return hasBatchedArgument(eval) && canWeighRows(eval) ? addRowWeights(eval) : success();
}

/// Outputs alone; an input that they do not need is a label and goes.
static LogicalResult addInfer(func::FuncOp model, SymbolTable &symbols) {
  FailureOr<func::FuncOp> cloned = cloneFor(model, symbols, ProgramKind::Infer, {ResultRole::Output});
  if (failed(cloned))
    return failure();
  func::FuncOp infer = *cloned;
  eraseUnusedArguments(infer, [](unsigned) { return true; });
  // Rows that fill up a batch would change the others: no result is one of each row, and the runtime takes as many rows
  // as the batch has.
  if (combinesRows(infer))
    for (unsigned i = 0; i < infer.getNumResults(); ++i)
      infer.removeResultAttr(i, StringAttr::get(infer.getContext(), names::batched));
  return success();
}

namespace {
struct InferencePass : mp::impl::InferencePassBase<InferencePass> {
  using Base::Base;

  void runOnOperation() override {
    markLabels(getOperation());
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> models = getPrograms(getOperation(), ProgramKind::Model);
    // The text of this stage, or of a later one, has them already.
    const bool hasInfer = !getPrograms(getOperation(), ProgramKind::Infer).empty();
    const bool hasEval = !getPrograms(getOperation(), ProgramKind::Eval).empty();
    for (func::FuncOp step : getPrograms(getOperation(), ProgramKind::TrainStep))
      if (models.empty() && !hasInfer && !hasEval && findResult(step, ResultRole::Gradient))
        step.emitWarning("is differentiated already and has no model to take eval and infer from; mp-inference runs "
                         "before mp-autodiff");
    for (func::FuncOp model : models) {
      if (failed(verifySpecialized(model)))
        return signalPassFailure();
      if (!hasInfer && hasResult(model, {ResultRole::Output}) && failed(addInfer(model, symbols)))
        return signalPassFailure();
      if (!hasEval && hasResult(model, {ResultRole::Loss, ResultRole::Metric}) && failed(addEval(model, symbols)))
        return signalPassFailure();
    }
  }
};
} // namespace
