// Rules of MPDataOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include "mp/Numerics/Philox.h"

using namespace mp;

/// The elements of an attribute as tensor elements, or an error where it holds data in another
/// form.
llvm::FailureOr<rules::Tensors> rules::evaluate(ConstantOp op, const Frame &) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  mlir::ElementsAttr value = op.getValue();
  if (isFloat(type.element)) {
    if (auto elements = value.tryGetValues<llvm::APFloat>()) {
      std::vector<double> reals;
      for (llvm::APFloat element : *elements) {
        bool losesInfo;
        element.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
        reals.push_back(element.convertToDouble());
      }
      return Tensors{Tensor::ofReals(std::move(type), reals)};
    }
  } else if (auto elements = value.tryGetValues<llvm::APInt>()) {
    std::vector<int64_t> integers;
    for (const llvm::APInt &element : *elements)
      integers.push_back(element.getBitWidth() < 32 ? element.getZExtValue() : element.getSExtValue());
    return Tensors{Tensor::ofIntegers(std::move(type), integers)};
  }
  return op.emitOpError("holds its elements in a form that the evaluator does not read");
}

Tensor rules::evaluate(IotaOp op, const Frame &) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  Shape strides(type.shape.size(), 0);
  strides[op.getDimension()] = 1;
  const std::vector<int64_t> indices = locate(type.shape, strides);
  if (!isFloat(type.element))
    return Tensor::ofIntegers(std::move(type), indices);
  return Tensor::ofReals(std::move(type), std::vector<double>(indices.begin(), indices.end()));
}

Tensor rules::evaluate(RandomUniformOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const std::vector<int64_t> rng = frame[op.getRng()].integers();
  std::vector<double> numbers;
  for (int64_t i = 0; i < elementsOf(type.shape); ++i)
    numbers.push_back(uniformFloat(randomBits(rng[0], rng[1], static_cast<uint32_t>(op.getStream()), i)));
  return Tensor::ofReals(std::move(type), numbers);
}

Tensor rules::evaluate(ReshapeOp op, const Frame &frame) {
  return Tensor{{runtimeTypeOf(op.getResult()), frame[op.getInput()].bytes}};
}

Tensor rules::evaluate(TransposeOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const Shape inputStrides = rowMajorStrides(input.type.shape);
  Shape strides;
  for (int64_t dimension : op.getPermutation())
    strides.push_back(inputStrides[dimension]);
  const std::vector<int64_t> sources = locate(type.shape, strides);
  return gather(input, sources, std::move(type));
}

Tensor rules::evaluate(BroadcastOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const std::vector<int64_t> sources = broadcastSources(input.type.shape, type.shape);
  return gather(input, sources, std::move(type));
}
