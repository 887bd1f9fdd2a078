// A matrix product as two kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/SplitContraction.h"

#include "Kernels/Forming/RebuildKernel.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "mp/IR/Tiles.h"

using namespace mlir;
using namespace mp;

SmallVector<KernelOp, 2> mp::splitContraction(KernelOp kernel, int64_t depth, Type partType) {
  ContractionOpInterface product = findContraction(kernel);
  Value whole = product->getResult(0);
  const int64_t parts = countParts(product.getContraction().k, depth);
  // Sums of parts are added up in f32 whatever they are stored in; f64 stays.
  Type element = typeOf(whole).getElementType(), acc = product.getAcc();
  Type wide = acc.isF64() ? acc : Float32Type::get(acc.getContext());
  RankedTensorType sumType = typeOf(whole).clone(wide);
  SmallVector<int64_t> shape(sumType.getShape());
  shape.insert(shape.begin(), parts);
  auto partsType = RankedTensorType::get(shape, partType);

  RebuiltKernel first(kernel, partsType, kernel.getKernelName() + ".parts");
  Value lhs = first.get(product.getLhs()), rhs = first.get(product.getRhs());
  first.yield(product.cloneAsParts(first.b, lhs, rhs, depth, partsType)->getResult(0));

  // The same sum, bias and rounding as those of the product.
  RebuiltKernel second(kernel, kernel->getResultTypes(), kernel.getKernelName());
  ImplicitLocOpBuilder &b = second.b;
  Value addends = castTo(b, second.input(first.kernel.getResult(0)), wide);
  Value sum = castTo(b, ReduceSumOp::create(b, sumType, addends, ArrayRef<int64_t>{0}), acc);
  if (Value bias = product.getBias())
    sum = AddOp::create(b, typeOf(sum), sum, castTo(b, second.get(bias), acc));
  sum = castTo(b, sum, element);
  second.inside.map(whole, sum);
  return {first.kernel, second.replace(kernel)};
}
