// Clipping and optimizers: result types and numbered constraints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Faults.h"
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
  if (double limit = op.getMaxNorm().convertToFloat(); !(limit > 0))
    return violates(op, 1) << "max_norm is " << limit << ", expected greater than 0";
  return success();
}

LogicalResult ClipByGlobalNormOp::verify() { return verifyMaxNorm(*this); }
LogicalResult ClipByNormOp::verify() { return verifyMaxNorm(*this); }

LogicalResult ClipByValueOp::verify() {
  if (double limit = getLimit().convertToFloat(); !(limit > 0))
    return violates(*this, 1) << "limit is " << limit << ", expected greater than 0";
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
    if (value && value.getType() != op.getParameter().getType())
      return violates(op, 1) << "operand has type " << value.getType() << ", parameter has "
                             << op.getParameter().getType();
  return success();
}

template <typename OptimizerOp> static LogicalResult verifyVelocity(OptimizerOp op, double momentum) {
  if ((momentum != 0) != bool(op.getVelocity()))
    return violates(op, 2) << "has velocity if and only if momentum is not 0, found momentum " << momentum;
  return success();
}

LogicalResult SGDOp::verify() {
  const double momentum = getMomentum().convertToFloat();
  if (failed(verifyVelocity(*this, momentum)))
    return failure();
  if (getNesterov() && momentum == 0)
    return violates(*this, 2) << "nesterov needs momentum";
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

template <typename OptimizerOp>
static LogicalResult verifyDecays(OptimizerOp op, unsigned constraint, std::initializer_list<Named> decays) {
  for (const Named &decay : decays)
    if (double value = decay.value.convertToDouble(); !(value >= 0 && value < 1))
      return violates(op, constraint) << decay.name << " is " << value << ", expected at least 0 and less than 1";
  return success();
}

template <typename OptimizerOp>
static LogicalResult verifyFromZero(OptimizerOp op, unsigned constraint, std::initializer_list<Named> numbers) {
  for (const Named &number : numbers)
    if (double value = number.value.convertToDouble(); !(value >= 0))
      return violates(op, constraint) << number.name << " is " << value << ", expected at least 0";
  return success();
}

LogicalResult RMSpropOp::verify() {
  if (failed(verifyVelocity(*this, getMomentum().convertToDouble())) ||
      failed(verifyDecays(*this, 3, {{"alpha", getAlpha()}})) ||
      failed(verifyFromZero(*this, 3, {{"epsilon", getEpsilon()}, {"weight_decay", getWeightDecay()}})))
    return failure();
  return verifyTypesOf(*this, {getGradient(), getV(), getMean(), getVelocity()});
}

LogicalResult AdagradOp::verify() {
  return verifyFromZero(
      *this, 2,
      {{"learning_rate_decay", getLearningRateDecay()}, {"epsilon", getEpsilon()}, {"weight_decay", getWeightDecay()}});
}

LogicalResult LionOp::verify() {
  if (failed(verifyDecays(*this, 2, {{"beta1", getBeta1()}, {"beta2", getBeta2()}})))
    return failure();
  return verifyFromZero(*this, 2, {{"weight_decay", getWeightDecay()}});
}

template <typename AdamLike> static LogicalResult verifyAdam(AdamLike op) {
  if (failed(verifyDecays(op, 2, {{"beta1", op.getBeta1()}, {"beta2", op.getBeta2()}})))
    return failure();
  return verifyFromZero(op, 2, {{"epsilon", op.getEpsilon()}, {"weight_decay", op.getWeightDecay()}});
}

LogicalResult AdamOp::verify() { return verifyAdam(*this); }
LogicalResult AdamWOp::verify() { return verifyAdam(*this); }
LogicalResult LAMBOp::verify() { return verifyAdam(*this); }

LogicalResult NAdamOp::verify() {
  if (failed(verifyAdam(*this)))
    return failure();
  return verifyFromZero(*this, 2, {{"momentum_decay", getMomentumDecay()}});
}

LogicalResult MomentumProductOp::verify() {
  if (failed(verifyDecays(*this, 1, {{"beta1", getBeta1()}})))
    return failure();
  return verifyFromZero(*this, 1, {{"momentum_decay", getMomentumDecay()}});
}
