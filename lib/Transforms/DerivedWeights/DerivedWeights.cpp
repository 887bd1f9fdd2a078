// Parameters that are also kept in a low type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mp/IR/Program.h"

#include "llvm/ADT/MapVector.h"

namespace mp {
#define GEN_PASS_DEF_DERIVEDWEIGHTSPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

namespace {

/// A parameter as some program declares it.
struct Parameter {
  RankedTensorType type;
  Attribute initializer;
  Location loc;
};

/// The derived states of a module, with the parameters that they are copies of, in the order in which they are read.
using DerivedStates = llvm::MapVector<DerivedAttr, Parameter>;

} // namespace

/// The derived state that stands for `op`, or null where it is no cast of a parameter that mp-autocast inserted.
static DerivedAttr describe(func::FuncOp program, Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  auto parameter = cast ? dyn_cast<BlockArgument>(cast.getInput()) : BlockArgument();
  if (!parameter || !cast.getAutocast() ||
      getArgumentRole(program, parameter.getArgNumber()) != ArgumentRole::Parameter)
    return {};
  Type type = cast.getType().getElementType();
  if (!isa<Float16Type, BFloat16Type>(type))
    return {};
  MLIRContext *context = op->getContext();
  auto name = StringAttr::get(context, getArgumentName(program, parameter.getArgNumber()));
  return DerivedAttr::get(context, name, type, RowMajorAttr::get(context));
}

/// Lets `program` read derived state instead of casting parameters, and takes away parameters that it now reads no
/// more.
static void readDerived(func::FuncOp program, DerivedStates &states) {
  llvm::MapVector<DerivedAttr, SmallVector<CastOp>> casts;
  for (Operation &op : program.getBody().front())
    if (DerivedAttr derived = describe(program, &op))
      casts[derived].push_back(cast<CastOp>(op));
  if (casts.empty())
    return;
  DenseSet<StringRef> copied;
  SignatureEdit edit(program);
  for (auto &[derived, ops] : casts) {
    auto parameter = cast<BlockArgument>(ops.front().getInput());
    auto type = cast<RankedTensorType>(parameter.getType());
    Attribute initializer = program.getArgAttr(parameter.getArgNumber(), names::initializer);
    states.insert({derived, {type, initializer, parameter.getLoc()}});
    copied.insert(derived.getOf());
    Value state = edit.addDerivedArgument(derived, type, parameter.getLoc());
    for (CastOp op : ops) {
      edit.replaceAllUses(op.getResult(), state);
      op.erase();
    }
  }
  edit.commit();
  eraseUnusedArguments(program, [&](unsigned i) { return copied.contains(getArgumentName(program, i)); });
}

/// Lets `program` write the derived state of every parameter that it writes.
static void writeDerived(func::FuncOp program, const llvm::StringMap<SmallVector<DerivedAttr>> &derivedOf) {
  llvm::StringMap<BlockArgument> states = getStates(program);
  SignatureEdit edit(program);
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    auto found = derivedOf.find(getResultName(program, i));
    if (getResultRole(program, i) != ResultRole::Next || found == derivedOf.end())
      continue;
    Value next = edit.getResult(i);
    auto type = cast<RankedTensorType>(next.getType());
    ImplicitLocOpBuilder builder(next.getLoc(), getReturn(program));
    for (DerivedAttr derived : found->second) {
      if (!states.contains(derived.getStateName()))
        edit.addDerivedArgument(derived, type, states.lookup(derived.getOf()).getLoc());
      auto copy = CastOp::create(builder, type.clone(derived.getType()), next, builder.getUnitAttr());
      edit.addDerivedResult(copy, derived);
    }
  }
  edit.commit();
}

/// Adds the program that makes derived state of the parameters.
static void addDerive(ModuleOp module, SymbolTable &symbols, const DerivedStates &states) {
  auto builder = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  auto derive =
      func::FuncOp::create(builder, stringifyProgramKind(ProgramKind::Derive), builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(derive.addEntryBlock());
  builder.setInsertionPoint(func::ReturnOp::create(builder));
  llvm::StringMap<BlockArgument> parameters;
  SignatureEdit edit(derive);
  for (const auto &[derived, parameter] : states) {
    BlockArgument &argument = parameters[derived.getOf()];
    if (!argument)
      argument = edit.addArgument(parameter.type, ArgumentRole::Parameter, derived.getOf(), parameter.initializer,
                                  parameter.loc);
    builder.setLoc(parameter.loc);
    RankedTensorType type = parameter.type;
    auto copy = CastOp::create(builder, type.clone(derived.getType()), argument, builder.getUnitAttr());
    edit.addDerivedResult(copy, derived);
  }
  edit.commit();
  setProgramKind(derive, ProgramKind::Derive);
  symbols.insert(derive);
}

/// Programs whose parameters are updated by no other pass any more.
static LogicalResult verifyOptimized(ModuleOp module) {
  for (func::FuncOp step : getPrograms(module, ProgramKind::TrainStep))
    if (findResult(step, ResultRole::Gradient))
      return step.emitError("has gradients that update no parameter yet; run mp-optimizer before mp-derived-weights");
  return success();
}

namespace {
struct DerivedWeightsPass : mp::impl::DerivedWeightsPassBase<DerivedWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyOptimized(module)))
      return signalPassFailure();
    SmallVector<func::FuncOp> programs = llvm::filter_to_vector(module.getOps<func::FuncOp>(), [](func::FuncOp func) {
      std::optional<ProgramKind> kind = getProgramKind(func);
      return kind && *kind != ProgramKind::Model && *kind != ProgramKind::Derive;
    });
    DerivedStates states;
    for (func::FuncOp program : programs)
      readDerived(program, states);
    if (states.empty())
      return;
    if (SmallVector<func::FuncOp> known = getPrograms(module, ProgramKind::Derive); !known.empty()) {
      known.front().emitError("makes derived state already, and another program casts parameters that it does not");
      return signalPassFailure();
    }
    llvm::StringMap<SmallVector<DerivedAttr>> derivedOf;
    for (const auto &[derived, parameter] : states)
      derivedOf[derived.getOf()].push_back(derived);
    for (func::FuncOp program : programs)
      writeDerived(program, derivedOf);
    SymbolTable symbols(module);
    addDerive(module, symbols, states);
    remark::analysis(module.getLoc(), remark::RemarkOpts::name("Summary").category("mp-derived-weights"))
        << remark::metric("derived", states.size());
  }
};
} // namespace
