//===- SplitContraction.cpp - a matrix product as two kernels ------------------------------------------------===//

#include "SplitContraction.h"

#include "RebuildKernel.h"

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

SmallVector<KernelOp, 2> mp::splitContraction(KernelOp kernel, int64_t depth) {
  auto matmul = *kernel.getBody().front().getOps<MatmulOp>().begin();
  const int64_t parts = llvm::divideCeil(matmul.getContractionSize(), depth);
  Type element = matmul.getType().getElementType();
  RankedTensorType sumType = RankedTensorType::get(matmul.getType().getShape(), matmul.getAcc());
  SmallVector<int64_t> shape(sumType.getShape());
  shape.insert(shape.begin(), parts);
  auto partsType = RankedTensorType::get(shape, matmul.getAcc());

  RebuiltKernel first(kernel, partsType, kernel.getKernelName() + ".parts");
  Value lhs = first.get(matmul.getLhs()), rhs = first.get(matmul.getRhs());
  first.yield(MatmulPartsOp::create(first.b, partsType, lhs, rhs, matmul.getTransposeLhs(), matmul.getTransposeRhs(),
                                    static_cast<uint64_t>(depth))
                  .getResult());

  // The same sum, bias and rounding as those of the product.
  RebuiltKernel second(kernel, kernel->getResultTypes(), kernel.getKernelName());
  ImplicitLocOpBuilder &b = second.b;
  Value sum = ReduceSumOp::create(b, sumType, second.input(first.kernel.getResult(0)), ArrayRef<int64_t>{0});
  if (Value bias = matmul.getBias()) {
    Value addend = second.get(bias);
    if (typeOf(addend).getElementType() != matmul.getAcc())
      addend = CastOp::create(b, typeOf(addend).clone(matmul.getAcc()), addend);
    sum = AddOp::create(b, sumType, sum, addend);
  }
  if (element != matmul.getAcc())
    sum = CastOp::create(b, sumType.clone(element), sum);
  second.inside.map(matmul.getResult(), sum);
  SmallVector<Value> results;
  for (Value yielded : kernel.getBody().front().getTerminator()->getOperands())
    results.push_back(second.get(yielded));
  second.yield(results);

  kernel->replaceAllUsesWith(second.kernel->getResults());
  kernel.erase();
  return {first.kernel, second.kernel};
}
