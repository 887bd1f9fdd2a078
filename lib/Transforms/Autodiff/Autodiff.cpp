// Gradients of the loss, in reverse mode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Transforms/Passes.h"

#include "Transforms/Autodiff/GradientSums.h"
#include "Transforms/Inference/RunningStatistics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mp/IR/Folds.h"
#include "mp/IR/Program.h"
#include "llvm/ADT/DenseSet.h"

namespace mp {
#define GEN_PASS_DEF_AUTODIFFPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// The op of models that an op of steps or kernels is made of by this compiler, by its name, as a pooling of the one
/// with indices; empty where there is none.
static StringRef modelOpOf(Operation *op) {
  StringRef name = op->getName().getStringRef();
  for (StringRef suffix : {"_with_indices", "_parts", "_grad", "_filter", "_rows"})
    name.consume_back(suffix);
  const bool isOther = name != op->getName().getStringRef();
  return isOther && RegisteredOperationName::lookup(name, op->getContext()) ? name : "";
}

static LogicalResult refuse(Operation *op) {
  InFlightDiagnostic error = op->emitOpError("has no derivative: it is declared not differentiable");
  if (StringRef model = modelOpOf(op); !model.empty())
    error.attachNote() << model << " is the op of models; a step has " << op->getName()
                       << " where the compiler makes it of that";
  return error;
}

// What must hold before

/// Every shape is static: the derivative rules count elements.
static LogicalResult verifySpecialized(func::FuncOp model) {
  WalkResult walked = model.walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      if (auto shaped = dyn_cast<ShapedType>(argument.getType()); shaped && !shaped.hasStaticShape()) {
        emitError(argument.getLoc(), "has an open size; run mp-specialize before mp-autodiff");
        return WalkResult::interrupt();
      }
    for (Operation &op : *block)
      for (Type type : op.getResultTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type); !tensor || !tensor.hasStaticShape()) {
          op.emitOpError("has a result of type ")
              << type << "; mp-autodiff needs static tensors: run mp-specialize before it";
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Whether `op` runs its one region exactly once, with nothing passed in.
static bool runsOnce(RegionBranchOpInterface op) {
  if (op->getNumRegions() != 1 || !llvm::hasSingleElement(op->getRegion(0)) || op->getRegion(0).getNumArguments() != 0)
    return false;
  SmallVector<InvocationBounds> bounds;
  op.getRegionInvocationBounds(SmallVector<Attribute>(op->getNumOperands()), bounds);
  return bounds.front().getLowerBound() == 1 && bounds.front().getUpperBound() == 1;
}

/// Puts the ops of regions that run once in the place of their op, so that what follows sees one
/// block. An `mp.autocast` that is left here was seen by no mp-autocast: every type in it is the
/// type the user wrote, and stays.
static LogicalResult openRegions(func::FuncOp model) {
  SmallVector<Operation *> withRegions;
  model.getBody().walk([&](Operation *op) {
    if (op->getNumRegions() != 0)
      withRegions.push_back(op);
  });
  for (Operation *op : withRegions) {
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    if (!branch || !runsOnce(branch))
      return op->emitOpError("has a region that mp-autodiff cannot go into: it does not run exactly once");
    op->emitWarning("mp-autocast has not run on this region: its ops keep the types they have");
    Block &body = op->getRegion(0).front();
    Operation *yield = body.getTerminator();
    op->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
    op->erase();
  }
  return success();
}

/// Puts in the place of ops that are written as others what they are, which has derivatives.
static void expandOps(func::FuncOp model) {
  SmallVector<ExpansionOpInterface> ops;
  model.walk([&](ExpansionOpInterface op) { ops.push_back(op); });
  for (ExpansionOpInterface op : ops) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<Value> values = op.expand(b);
    if (values.empty())
      continue;
    op->replaceAllUsesWith(values);
    op->erase();
  }
}

// Reverse mode

namespace {
/// The gradients of one program's loss, built behind its forward computation.
class ReverseMode {
public:
  explicit ReverseMode(func::FuncOp program) : program(program), builder(getReturn(program).getOperation()) {}

  /// Builds the gradients; fails where one would have to pass an op that has no derivative.
  LogicalResult run(Value loss) {
    findActive();
    if (!active.contains(loss))
      return program.emitError("the loss depends on no parameter");
    SmallVector<Operation *> forward;
    for (Operation &op : program.getBody().front().without_terminator())
      forward.push_back(&op);
    seed = GradientSeedOp::create(builder, loss.getLoc(), loss.getType());
    contributions[loss].push_back(seed.getResult());
    for (Operation *op : llvm::reverse(forward))
      if (failed(differentiate(op)))
        return failure();
    return success();
  }

  /// The gradient of `value`, or null if none reaches it. All users of `value` have been
  /// differentiated: the contributions are summed once, those of later ops first.
  Value gradientOf(Value value) {
    auto found = contributions.find(value);
    if (found == contributions.end())
      return {};
    SmallVector<Value, 2> &parts = found->second;
    parts.assign({sumContributions(builder, value.getLoc(), parts, seed)});
    return parts.front();
  }

private:
  /// Marks the floats that depend on a parameter; only they need gradients.
  void findActive() {
    for (BlockArgument argument : program.getArguments())
      if (getArgumentRole(program, argument.getArgNumber()) == ArgumentRole::Parameter &&
          isFloatTensor(argument.getType()))
        active.insert(argument);
    for (Operation &op : program.getBody().front().without_terminator()) {
      auto derivative = dyn_cast<DerivativeOpInterface>(op);
      if (derivative && derivative.getDifferentiability() == Differentiability::Constant)
        continue;
      if (llvm::any_of(op.getOperands(), [&](Value operand) { return active.contains(operand); }))
        for (Value result : op.getResults())
          if (isFloatTensor(result.getType()))
            active.insert(result);
    }
  }

  LogicalResult differentiate(Operation *op) {
    SmallVector<Value> resultGradients, operandGradients(op->getNumOperands());
    bool reached = false;
    for (Value result : op->getResults()) {
      resultGradients.push_back(active.contains(result) ? gradientOf(result) : Value());
      reached |= bool(resultGradients.back());
    }
    if (!reached)
      return success();
    auto derivative = dyn_cast<DerivativeOpInterface>(op);
    if (!derivative)
      return op->emitOpError("has no derivative, and the loss depends on a parameter through it");
    if (derivative.getDifferentiability() == Differentiability::NotDifferentiable)
      return refuse(op);
    if (failed(derivative.differentiate(builder, resultGradients, operandGradients)))
      return failure();
    for (auto [operand, gradient] : llvm::zip_equal(op->getOperands(), operandGradients)) {
      if (!gradient || !active.contains(operand))
        continue;
      assert(gradient.getType() == operand.getType() && "a gradient has its operand's type");
      contributions[operand].push_back(gradient);
    }
    return success();
  }

  func::FuncOp program;
  OpBuilder builder;
  GradientSeedOp seed;
  DenseSet<Value> active;
  DenseMap<Value, SmallVector<Value, 2>> contributions;
};
} // namespace

/// Turns a model into a training step with a result {mp.gradient} for each parameter that the loss
/// depends on.
static LogicalResult differentiateModel(func::FuncOp model) {
  std::optional<unsigned> loss = findResult(model, ResultRole::Loss);
  if (!loss)
    return model.emitError(
        "has no result with mp.loss to differentiate; training=false compiles a model that predicts alone");
  if (failed(verifySpecialized(model)) || failed(openRegions(model)) || failed(verifyBatchStatistics(model)))
    return failure();
  expandOps(model);
  // Slices taken off in turn have gradients of one tensor, whose pieces are put together once.
  foldSlices(model);

  ReverseMode reverse(model);
  if (failed(reverse.run(getReturn(model).getOperand(*loss))))
    return failure();

  SignatureEdit edit(model);
  for (unsigned i = 0; i < model.getNumResults(); ++i)
    if (getResultRole(model, i) == ResultRole::Output)
      edit.eraseResult(i);
  for (BlockArgument argument : model.getArguments()) {
    if (getArgumentRole(model, argument.getArgNumber()) != ArgumentRole::Parameter)
      continue;
    StringRef name = getArgumentName(model, argument.getArgNumber());
    if (Value gradient = reverse.gradientOf(argument))
      edit.addResult(gradient, ResultRole::Gradient, name);
    else
      emitWarning(argument.getLoc()) << "the loss does not depend on parameter \"" << name
                                     << "\": it has no gradient and is not trained";
  }
  edit.commit();
  setProgramKind(model, ProgramKind::TrainStep);
  dropGradientRules(model);
  // Rules build gradients of inputs, too, and the outputs are gone.
  eraseDeadOps(model);
  return success();
}

namespace {
struct AutodiffPass : mp::impl::AutodiffPassBase<AutodiffPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp model : getPrograms(getOperation(), ProgramKind::Model)) {
      if (failed(differentiateModel(model)))
        return signalPassFailure();
      symbols.remove(model);
      model.setSymName(stringifyProgramKind(ProgramKind::TrainStep));
      symbols.insert(model);
    }
  }
};
} // namespace
