// Clipping and optimizers: result types and numbered constraints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

using Types = SmallVectorImpl<Type>;
using MaybeLocation = std::optional<Location>;

// Clipping

LogicalResult ClipByGlobalNormOp::inferReturnTypes(MLIRContext *context, MaybeLocation, Adaptor op, Types &types) {
  llvm::append_range(types, op.getGradients().getTypes());
  types.push_back(RankedTensorType::get({}, Float32Type::get(context)));
  return success();
}

LogicalResult ClipByNormOp::inferReturnTypes(MLIRContext *, MaybeLocation, Adaptor op, Types &types) {
  llvm::append_range(types, op.getGradients().getTypes());
  return success();
}

LogicalResult ClipByValueOp::inferReturnTypes(MLIRContext *, MaybeLocation, Adaptor op, Types &types) {
  llvm::append_range(types, op.getGradients().getTypes());
  return success();
}

template <typename ClipOp> static LogicalResult verifyMaxNorm(ClipOp op) {
  if (double limit = op.getMaxNorm().convertToFloat(); !(limit > 0)) // clip_by_global_norm (C1), clip_by_norm (C1)
    return op.emitOpError("max_norm is ") << limit << ", expected greater than 0";
  return success();
}

LogicalResult ClipByGlobalNormOp::verify() { return verifyMaxNorm(*this); }
LogicalResult ClipByNormOp::verify() { return verifyMaxNorm(*this); }

LogicalResult ClipByValueOp::verify() {
  if (double limit = getLimit().convertToFloat(); !(limit > 0)) // (C1)
    return emitOpError("limit is ") << limit << ", expected greater than 0";
  return success();
}

// Optimizers with optional slots

LogicalResult SGDOp::inferReturnTypes(MLIRContext *, MaybeLocation, Adaptor op, Types &types) {
  types.push_back(op.getParameter().getType());
  if (op.getVelocity())
    types.push_back(op.getVelocity().getType());
  return success();
}

LogicalResult RMSpropOp::inferReturnTypes(MLIRContext *, MaybeLocation, Adaptor op, Types &types) {
  for (Value value : {op.getParameter(), op.getV(), op.getMean(), op.getVelocity()})
    if (value)
      types.push_back(value.getType());
  return success();
}

/// Whether what is given has the type of the parameter.
template <typename OptimizerOp>
static LogicalResult verifyTypesOf(OptimizerOp op, std::initializer_list<Value> values) {
  for (Value value : values)
    if (value && value.getType() != op.getParameter().getType()) // sgd (C1), rmsprop (C1)
      return op.emitOpError("operand has type ")
             << value.getType() << ", parameter has " << op.getParameter().getType();
  return success();
}

template <typename OptimizerOp> static LogicalResult verifyVelocity(OptimizerOp op, double momentum) {
  if ((momentum != 0) != bool(op.getVelocity())) // sgd (C2), rmsprop (C2)
    return op.emitOpError("has velocity if and only if momentum is not 0, found momentum ") << momentum;
  return success();
}

LogicalResult SGDOp::verify() {
  const double momentum = getMomentum().convertToFloat();
  if (failed(verifyVelocity(*this, momentum)))
    return failure();
  if (getNesterov() && momentum == 0) // (C2)
    return emitOpError("nesterov needs momentum");
  return verifyTypesOf(*this, {getGradient(), getVelocity()});
}

// Hyperparameters

namespace {
/// A hyperparameter by the name of its attribute.
struct Named {
  const char *name;
  llvm::APFloat value;
};
} // namespace

template <typename OptimizerOp> static LogicalResult verifyDecays(OptimizerOp op, std::initializer_list<Named> decays) {
  for (const Named &decay : decays)
    // adam (C2), rmsprop (C3), lion (C2), nadam (C2), momentum_product (C1)
    if (double value = decay.value.convertToDouble(); !(value >= 0 && value < 1))
      return op.emitOpError(decay.name) << " is " << value << ", expected at least 0 and less than 1";
  return success();
}

template <typename OptimizerOp>
static LogicalResult verifyFromZero(OptimizerOp op, std::initializer_list<Named> numbers) {
  for (const Named &number : numbers)
    // adam (C2), rmsprop (C3), adagrad (C2), lion (C2), nadam (C2), momentum_product (C1)
    if (double value = number.value.convertToDouble(); !(value >= 0))
      return op.emitOpError(number.name) << " is " << value << ", expected at least 0";
  return success();
}

LogicalResult RMSpropOp::verify() {
  if (failed(verifyVelocity(*this, getMomentum().convertToDouble())) ||
      failed(verifyDecays(*this, {{"alpha", getAlpha()}})) ||
      failed(verifyFromZero(*this, {{"epsilon", getEpsilon()}, {"weight_decay", getWeightDecay()}})))
    return failure();
  return verifyTypesOf(*this, {getGradient(), getV(), getMean(), getVelocity()});
}

LogicalResult AdagradOp::verify() {
  return verifyFromZero(
      *this,
      {{"learning_rate_decay", getLearningRateDecay()}, {"epsilon", getEpsilon()}, {"weight_decay", getWeightDecay()}});
}

LogicalResult LionOp::verify() {
  if (failed(verifyDecays(*this, {{"beta1", getBeta1()}, {"beta2", getBeta2()}})))
    return failure();
  return verifyFromZero(*this, {{"weight_decay", getWeightDecay()}});
}

template <typename AdamLike> static LogicalResult verifyAdam(AdamLike op) {
  if (failed(verifyDecays(op, {{"beta1", op.getBeta1()}, {"beta2", op.getBeta2()}})))
    return failure();
  return verifyFromZero(op, {{"epsilon", op.getEpsilon()}, {"weight_decay", op.getWeightDecay()}});
}

LogicalResult AdamOp::verify() { return verifyAdam(*this); }
LogicalResult AdamWOp::verify() { return verifyAdam(*this); }
LogicalResult LAMBOp::verify() { return verifyAdam(*this); }

LogicalResult NAdamOp::verify() {
  if (failed(verifyAdam(*this)))
    return failure();
  return verifyFromZero(*this, {{"momentum_decay", getMomentumDecay()}});
}

LogicalResult MomentumProductOp::verify() {
  if (failed(verifyDecays(*this, {{"beta1", getBeta1()}})))
    return failure();
  return verifyFromZero(*this, {{"momentum_decay", getMomentumDecay()}});
}
