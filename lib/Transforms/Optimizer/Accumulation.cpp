// One step out of several micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Optimizer/Update.h"
#include "mp/Base/MicroBatches.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mp;

/// What the model itself writes: neither the scaler's states nor the random generator, which advances per micro-batch.
static bool isOwnState(func::FuncOp program, unsigned result) {
  StringRef name = getResultName(program, result);
  return getResultRole(program, result) == ResultRole::Next && !states::isOfScaler(name) && name != states::rng;
}

static SmallVector<unsigned> gradientResults(func::FuncOp program) {
  return llvm::to_vector(llvm::make_filter_range(llvm::seq<unsigned>(0, program.getNumResults()), [&](unsigned i) {
    return getResultRole(program, i) == ResultRole::Gradient;
  }));
}

/// The op that takes the scale out of the gradients, or null where there is no scale.
static UnscaleOp findUnscale(func::FuncOp program) {
  for (Operation &op : llvm::reverse(program.getBody().front()))
    if (auto unscale = dyn_cast<UnscaleOp>(op))
      return unscale;
  return {};
}

static CheckFiniteOp findCheck(func::FuncOp program) {
  Value guard = findGuard(program);
  return guard ? guard.getDefiningOp<CheckFiniteOp>() : CheckFiniteOp();
}

/// Adds the sum of the gradients of the parameter `name`; it stays scaled until `apply`.
static BlockArgument addSum(SignatureEdit &edit, StringRef name, Type type, bool isScaled, Location loc) {
  Builder builder(type.getContext());
  SmallVector<NamedAttribute> extra;
  if (isScaled)
    extra.push_back(builder.getNamedAttr(names::scaled, builder.getUnitAttr()));
  return edit.addTrainingState(type, states::gradientSumOf(name), name, ZerosAttr::get(builder.getContext()), loc,
                               extra);
}

/// Adds the states in which new values of the model's own wait for `apply` to commit them.
static void addPending(func::FuncOp step) {
  llvm::StringMap<BlockArgument> states = getStates(step);
  SignatureEdit edit(step);
  for (unsigned i = 0; i < step.getNumResults(); ++i)
    if (isOwnState(step, i)) {
      StringRef name = getResultName(step, i);
      BlockArgument state = states.lookup(name);
      edit.addTrainingState(state.getType(), states::pendingOf(name), name,
                            step.getArgAttr(state.getArgNumber(), names::initializer), state.getLoc());
    }
  edit.commit();
}

/// Turns a copy of the step into `accumulate`.
static void makeAccumulate(func::FuncOp program) {
  ImplicitLocOpBuilder builder(program.getLoc(), getReturn(program));
  llvm::StringMap<BlockArgument> states = getStates(program);
  UnscaleOp unscale = findUnscale(program);
  SignatureEdit edit(program);
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    StringRef name = getResultName(program, i);
    ResultRole role = getResultRole(program, i);
    if (role == ResultRole::Gradient) {
      Value gradient = edit.getResult(i);
      if (unscale)
        gradient = unscale.getGradients()[cast<OpResult>(gradient).getResultNumber()];
      Value sum = addSum(edit, name, gradient.getType(), bool(unscale), states.lookup(name).getLoc());
      edit.addResult(AddOp::create(builder, sum, gradient), ResultRole::Next, states::gradientSumOf(name));
      edit.eraseResult(i);
    } else if (role == ResultRole::Log || (role == ResultRole::Next && states::isOfScaler(name))) {
      edit.eraseResult(i);
    } else if (isOwnState(program, i)) {
      const std::string pending = states::pendingOf(name);
      edit.replaceAllUses(states.lookup(name), states.lookup(pending));
      edit.addResult(edit.getResult(i), ResultRole::Next, pending);
      edit.eraseResult(i);
    }
  }
  if (BlockArgument rng = states.lookup(states::rng); rng && !findResult(program, ResultRole::Next, states::rng))
    edit.addResult(AdvanceOp::create(builder, rng, Value()), ResultRole::Next, states::rng);
  edit.commit();
  program->removeAttr(names::skipLimit);
  program->removeAttr(names::raiseErrorAtMinScale);
  eraseDeadOps(program);
  eraseUnusedArguments(program, [&](unsigned i) {
    ArgumentRole role = getArgumentRole(program, i);
    return role == ArgumentRole::State || role == ArgumentRole::Parameter;
  });
}

/// Lets the end of the step read sums instead of gradients, and drops its beginning.
static void readSums(func::FuncOp program) {
  llvm::StringMap<BlockArgument> states = getStates(program);
  UnscaleOp unscale = findUnscale(program);
  CheckFiniteOp check = findCheck(program);
  llvm::StringSet<> trained;
  SignatureEdit edit(program);
  SmallVector<Value> sums;
  for (unsigned i : gradientResults(program)) {
    StringRef name = getResultName(program, i);
    BlockArgument parameter = states.lookup(name);
    sums.push_back(addSum(edit, name, parameter.getType(), bool(unscale), parameter.getLoc()));
    trained.insert(name);
    if (!unscale)
      edit.setResult(i, sums.back());
  }
  if (unscale)
    unscale.getGradientsMutable().assign(sums);
  if (check)
    check.getGradientsMutable().assign(sums);
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    ResultRole role = getResultRole(program, i);
    bool ofMicroBatch = role == ResultRole::Loss || role == ResultRole::Metric ||
                        (role == ResultRole::Next && getResultName(program, i) == states::rng);
    if (ofMicroBatch)
      edit.eraseResult(i);
    else if (isOwnState(program, i))
      edit.setResult(i, states.lookup(states::pendingOf(getResultName(program, i))));
  }
  edit.commit();
  eraseDeadOps(program);
  eraseUnusedArguments(program, [&](unsigned i) { return !trained.contains(getArgumentName(program, i)); });
}

/// What training keeps as `kept` for `name`, or null: a state of the model's own may be called so, too.
static BlockArgument findKept(func::FuncOp program, const llvm::StringMap<BlockArgument> &states, StringRef kept,
                              StringRef name) {
  BlockArgument state = states.lookup(kept);
  auto owner = state ? program.getArgAttrOfType<StringAttr>(state.getArgNumber(), names::training) : StringAttr();
  return owner && owner.getValue() == name ? state : BlockArgument();
}

void mp::endAccumulation(func::FuncOp program) {
  ImplicitLocOpBuilder builder(program.getLoc(), getReturn(program));
  llvm::StringMap<BlockArgument> states = getStates(program);
  SignatureEdit edit(program);
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    if (getResultRole(program, i) != ResultRole::Next)
      continue;
    StringRef name = getResultName(program, i);
    const std::string sumName = states::gradientSumOf(name), pendingName = states::pendingOf(name);
    if (BlockArgument sum = findKept(program, states, sumName, name)) {
      auto type = cast<RankedTensorType>(sum.getType());
      Value zero =
          ConstantOp::create(builder, DenseElementsAttr::get(type, builder.getFloatAttr(type.getElementType(), 0)));
      edit.addResult(zero, ResultRole::Next, sumName);
    }
    if (findKept(program, states, pendingName, name))
      edit.addResult(edit.getResult(i), ResultRole::Next, pendingName);
  }
  edit.commit();
}

LogicalResult mp::addAccumulation(func::FuncOp step, SymbolTable &symbols, const OptimizerPassOptions &options) {
  addPending(step);
  auto addCopy = [&](ProgramKind kind) {
    func::FuncOp program = step.clone();
    setProgramKind(program, kind);
    program.setSymName(stringifyProgramKind(kind));
    program->setAttr(names::microBatches,
                     IntegerAttr::get(IntegerType::get(step.getContext(), 64), options.accumulate));
    symbols.insert(program, std::next(step->getIterator()));
    return program;
  };
  func::FuncOp apply = addCopy(ProgramKind::Apply), accumulate = addCopy(ProgramKind::Accumulate);
  makeAccumulate(accumulate);
  readSums(apply);
  if (failed(addUpdates(apply, options, options.accumulate)))
    return failure();
  endAccumulation(apply);
  return success();
}
