// The seconds that a kernel takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/CostModel.h"

#include "mp/Analysis/Pooled.h"
#include "mp/Analysis/ProductRows.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mp;

Work &Work::operator+=(const Work &other) {
  for (size_t i = 0; i < mapOperations.size(); ++i) {
    mapOperations[i] += other.mapOperations[i];
    contractionOperations[i] += other.contractionOperations[i];
  }
  bytes += other.bytes;
  return *this;
}

double mp::estimateSeconds(const Work &work, const CPULevel &level) {
  double arithmetic = 0;
  for (size_t i = 0; i < work.mapOperations.size(); ++i)
    arithmetic += work.mapOperations[i] / level.mapRates[i] + work.contractionOperations[i] / level.contractionRates[i];
  return std::max(arithmetic, work.bytes / level.memoryBandwidth) + level.launchSeconds;
}

static ArithmeticType arithmeticType(Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  if (element.isF16())
    return ArithmeticType::F16;
  if (element.isBF16())
    return ArithmeticType::BF16;
  return element.isF64() ? ArithmeticType::F64 : ArithmeticType::F32;
}

int64_t mp::countBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// Whether the op is in a kernel that is scheduled for a GPU.
static bool isForGPU(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel && kernel.getSchedule() && kernel.getSchedule()->isForGPU();
}

/// Of a product whose code is of classes of rows: each multiplies what it has a factor for, and nothing between
/// strides.
static std::optional<double> countOfClasses(Operation *op) {
  auto contraction = dyn_cast<ContractionOpInterface>(op);
  if (!contraction)
    return std::nullopt;
  const Contraction product = contraction.getContraction();
  const ArrayRef<Contraction::Class> classes = classesInCode(product, isForGPU(op));
  if (classes.empty())
    return std::nullopt;
  double operations = 0;
  for (const Contraction::Class &own : classes)
    operations += 2.0 * static_cast<double>(product.batch) * static_cast<double>(product.n) *
                  static_cast<double>(own.m) * static_cast<double>(own.k);
  return operations;
}

/// Of the pixels that a product makes and its kernel pools so many as are computed there: on a GPU those of windows.
static double partOfPixels(Operation *op) {
  if (!isForGPU(op))
    return 1;
  const std::optional<Pooled> pooled = findPooledWithin(cast<KernelOp>(op->getParentOp()));
  auto products = op->getBlock()->getOps<ContractionOpInterface>();
  if (!pooled || products.empty())
    return 1;
  // The product, and what is made of its result before that is pooled.
  ContractionOpInterface product = *products.begin();
  const bool isOfPixels = !op->isBeforeInBlock(product) && !pooled->op->isBeforeInBlock(op) &&
                          shapeOf(op->getResult(0)) == shapeOf(pooled->image());
  const Contraction all = product.getContraction();
  const std::optional<Contraction::Class> inWindows =
      isOfPixels ? findRowsByWindow(all, *pooled) : std::optional<Contraction::Class>();
  return inWindows ? static_cast<double>(inWindows->m) / static_cast<double>(all.m) : 1;
}

Work mp::countArithmetic(Operation *op) {
  Work work;
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  if (!kernelOp || op->getNumResults() == 0)
    return work;
  KernelRole role = kernelOp.getKernelRole();
  if (llvm::is_contained({KernelRole::Movement, KernelRole::Constant, KernelRole::None}, role))
    return work;
  // An op that reduces works on each element it reads.
  bool reduces = llvm::is_contained(
      {KernelRole::Row, KernelRole::Partial, KernelRole::Tile, KernelRole::Composite, KernelRole::Serial}, role);
  Type worked = reduces && op->getNumOperands() > 0 ? op->getOperand(0).getType() : op->getResult(0).getType();
  double operations =
      static_cast<double>(cast<RankedTensorType>(worked).getNumElements()) * kernelOp.getOperationsPerElement();
  operations = countOfClasses(op).value_or(operations) * partOfPixels(op);
  ArithmeticType ofOperand = arithmeticType(op->getNumOperands() > 0 ? op->getOperand(0).getType() : worked);
  if (role == KernelRole::Attention) // its kernels widen what they read, whatever units there are
    ofOperand = ArithmeticType::F32;
  const auto type = static_cast<size_t>(ofOperand);
  const bool multiplies = llvm::is_contained({KernelRole::Contraction, KernelRole::Attention}, role);
  (multiplies ? work.contractionOperations : work.mapOperations)[type] += operations;
  return work;
}

static double countTraffic(Operation *op) {
  double bytes = 0;
  for (Type type : op->getOperandTypes())
    bytes += countBytes(type);
  for (Type type : op->getResultTypes())
    bytes += countBytes(type);
  return bytes;
}

Work mp::countWork(Operation *op) {
  Work work = countArithmetic(op);
  work.bytes = countTraffic(op);
  return work;
}

Work mp::countWork(KernelOp kernel) {
  Work work;
  for (Operation &op : kernel.getBody().front().without_terminator())
    work += countArithmetic(&op);
  work.bytes = countTraffic(kernel);
  return work;
}
