// Blocks of ops, and which rule an op has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Reference/Evaluator.h"
#include "Reference/Rules.h"

#include "llvm/ADT/StringMap.h"

using namespace mp;
using mlir::Operation;
using rules::Tensors;

namespace {
using Rule = llvm::FailureOr<Tensors> (*)(Operation *, Frame &);
} // namespace

static llvm::FailureOr<Tensors> inForm(Tensor result) { return Tensors{std::move(result)}; }
static llvm::FailureOr<Tensors> inForm(llvm::FailureOr<Tensors> results) { return results; }

/// The table: every registered op that has an overload of rules::evaluate.
template <typename... Ops> static llvm::StringMap<Rule> makeTable() {
  llvm::StringMap<Rule> table;
  auto add = [&]<typename Op>(Op *) {
    if constexpr (requires(Op op, Frame &frame) { rules::evaluate(op, frame); })
      table[Op::getOperationName()] = [](Operation *op, Frame &frame) {
        return inForm(rules::evaluate(mlir::cast<Op>(op), frame));
      };
  };
  (add(static_cast<Ops *>(nullptr)), ...);
  return table;
}

static const llvm::StringMap<Rule> &ruleTable() {
  static const llvm::StringMap<Rule> table = makeTable<
#define GET_OP_LIST
#include "mp/IR/MPOps.cpp.inc"
      >();
  return table;
}

bool mp::canEvaluate(mlir::OperationName name) { return ruleTable().contains(name.getStringRef()); }

static llvm::LogicalResult checkType(Operation *op, mlir::Type type) {
  if (tensorTypeOf(type))
    return llvm::success();
  auto tensor = mlir::dyn_cast<mlir::ShapedType>(type);
  if (tensor && !tensor.hasStaticShape())
    return op->emitError("cannot evaluate a value of type ") << type << ": its size is open, run mp-specialize first";
  return op->emitError("cannot evaluate a value of type ") << type;
}

static Tensors valuesOf(mlir::ValueRange values, const Frame &frame) {
  Tensors tensors;
  for (mlir::Value value : values)
    tensors.push_back(frame[value]);
  return tensors;
}

/// Evaluates the ops of a block in order; the results are the operands of its terminator.
static llvm::FailureOr<Tensors> evaluateBlock(mlir::Block &block, Frame &frame) {
  for (Operation &op : block) {
    if (mlir::isa<mlir::func::ReturnOp>(op))
      return valuesOf(op.getOperands(), frame);
    auto rule = ruleTable().find(op.getName().getStringRef());
    if (rule == ruleTable().end())
      return op.emitError("the reference evaluator has no rule for '") << op.getName() << "'";
    for (mlir::Type type : op.getResultTypes())
      if (failed(checkType(&op, type)))
        return llvm::failure();
    llvm::FailureOr<Tensors> results = rule->second(&op, frame);
    if (failed(results) || op.hasTrait<mlir::OpTrait::IsTerminator>())
      return results;
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
      frame.set(value, std::move(tensor));
  }
  llvm_unreachable("a verified block has a terminator");
}

llvm::FailureOr<Tensors> rules::evaluate(KernelOp op, Frame &frame) {
  for (auto [argument, input] : llvm::zip_equal(op.getBody().getArguments(), op.getInputs()))
    frame.set(argument, frame[input]);
  return evaluateBlock(op.getBody().front(), frame);
}

llvm::FailureOr<Tensors> rules::evaluate(AutocastOp op, Frame &frame) {
  return evaluateBlock(op.getBody().front(), frame);
}

Tensors rules::evaluate(YieldOp op, const Frame &frame) { return valuesOf(op.getValues(), frame); }

llvm::FailureOr<std::vector<Tensor>> mp::evaluate(mlir::func::FuncOp func, llvm::ArrayRef<Tensor> arguments,
                                                  const EvaluatorOptions &options) {
  if (func.isExternal())
    return func.emitError("has no body to evaluate");
  if (!func.getBody().hasOneBlock())
    return func.emitError("has more than one block");
  if (arguments.size() != func.getNumArguments())
    return func.emitError("takes ") << func.getNumArguments() << " arguments, got " << arguments.size();
  Frame frame(options);
  for (auto [argument, tensor] : llvm::zip_equal(func.getArguments(), arguments)) {
    if (failed(checkType(func, argument.getType())))
      return llvm::failure();
    if (tensor.type != runtimeTypeOf(argument))
      return func.emitError("argument #")
             << argument.getArgNumber() << " is " << argument.getType() << ", got " << typeName(tensor.type);
    if (tensor.bytes.size() != byteCount(tensor.type))
      return func.emitError("argument #") << argument.getArgNumber() << " holds " << tensor.bytes.size()
                                          << " bytes, its type has " << *byteCount(tensor.type);
    frame.set(argument, tensor);
  }
  return evaluateBlock(func.getBody().front(), frame);
}
