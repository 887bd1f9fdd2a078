//===- SplitContraction.cpp - a matrix product as two kernels ------------------------------------------------===//

#include "SplitContraction.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// A new kernel that gets what it needs of an old one: ops are cloned and inputs added where they are first asked for.
class PartialKernel {
public:
  PartialKernel(KernelOp old, TypeRange results, const Twine &name)
      : old(old), kernel([&] {
          OpBuilder before(old);
          return KernelOp::create(before, old.getLoc(), results, name.str(), ValueRange(), /*schedule=*/nullptr,
                                  /*places=*/nullptr);
        }()),
        b(old.getLoc(), OpBuilder::atBlockEnd(&kernel.getBody().emplaceBlock())) {}

  /// What a value of the old kernel is in this one.
  Value get(Value value) {
    if (Value known = inside.lookupOrNull(value))
      return known;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Value input = addInput(old.getInputs()[argument.getArgNumber()]);
      inside.map(value, input);
      return input;
    }
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      get(operand);
    b.clone(*op, inside);
    return inside.lookup(value);
  }

  Value addInput(Value outside) {
    kernel.getInputsMutable().append(outside);
    return kernel.getBody().addArgument(outside.getType(), outside.getLoc());
  }

  void yield(ValueRange values) { YieldOp::create(b, values); }

  KernelOp old, kernel;
  ImplicitLocOpBuilder b;
  IRMapping inside;
};

} // namespace

SmallVector<KernelOp, 2> mp::splitContraction(KernelOp kernel, int64_t depth) {
  auto matmul = *kernel.getBody().front().getOps<MatmulOp>().begin();
  const int64_t parts = llvm::divideCeil(matmul.getContractionSize(), depth);
  Type element = matmul.getType().getElementType();
  RankedTensorType sumType = RankedTensorType::get(matmul.getType().getShape(), matmul.getAcc());
  SmallVector<int64_t> shape(sumType.getShape());
  shape.insert(shape.begin(), parts);
  auto partsType = RankedTensorType::get(shape, matmul.getAcc());

  PartialKernel first(kernel, partsType, kernel.getKernelName() + ".parts");
  Value lhs = first.get(matmul.getLhs()), rhs = first.get(matmul.getRhs());
  first.yield(MatmulPartsOp::create(first.b, partsType, lhs, rhs, matmul.getTransposeLhs(), matmul.getTransposeRhs(),
                                    static_cast<uint64_t>(depth))
                  .getResult());

  // The same sum, bias and rounding as those of the product.
  PartialKernel second(kernel, kernel->getResultTypes(), kernel.getKernelName());
  ImplicitLocOpBuilder &b = second.b;
  Value sum = ReduceSumOp::create(b, sumType, second.addInput(first.kernel.getResult(0)), ArrayRef<int64_t>{0});
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
