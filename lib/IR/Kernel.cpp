// mp.kernel, schedules, buffers and kernel-level ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/KernelFormat.h"
#include "IR/ProductTypes.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"

#include "mp/IR/Faults.h"
#include "mp/IR/Panels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mp;

// Text

/// `(%a)`: one of the block arguments, by its number.
static ParseResult parseGuard(OpAsmParser &parser, ArrayRef<OpAsmParser::Argument> arguments, IntegerAttr &guard) {
  OpAsmParser::UnresolvedOperand name;
  if (parser.parseLParen() || parser.parseOperand(name) || parser.parseRParen())
    return failure();
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (argument.ssaName.name == name.name && argument.ssaName.number == name.number) {
      guard = parser.getBuilder().getI64IntegerAttr(index);
      return success();
    }
  return parser.emitError(name.location, "is not an input of the kernel");
}

ParseResult mp::parseKernel(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &inputs,
                            SmallVectorImpl<Type> &inputTypes, ScheduleInterface &schedule, ArrayAttr &buffers,
                            IntegerAttr &guard, SmallVectorImpl<Type> &resultTypes, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseAssignmentList(arguments, inputs))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("schedule")) &&
      (parser.parseLParen() || parser.parseAttribute(schedule) || parser.parseRParen()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("buffers")) &&
      (parser.parseLParen() || parser.parseAttribute(buffers) || parser.parseRParen()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("guard")) && parseGuard(parser, arguments, guard))
    return failure();

  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != arguments.size())
    return parser.emitError(location, "has ") << arguments.size() << " inputs, but types for " << type.getNumInputs();
  llvm::append_range(inputTypes, type.getInputs());
  llvm::append_range(resultTypes, type.getResults());
  for (auto [argument, inputType] : llvm::zip_equal(arguments, inputTypes))
    argument.type = inputType;
  return parser.parseRegion(body, arguments);
}

void mp::printKernel(OpAsmPrinter &printer, KernelOp op, OperandRange inputs, TypeRange inputTypes,
                     ScheduleInterface schedule, ArrayAttr buffers, IntegerAttr guard, TypeRange resultTypes,
                     Region &body) {
  printer << "(";
  llvm::interleaveComma(llvm::zip(body.getArguments(), inputs), printer, [&](const auto &pair) {
    printer.printRegionArgument(std::get<0>(pair), {}, /*omitType=*/true);
    printer << " = " << std::get<1>(pair);
  });
  printer << ")";
  if (schedule)
    printer << " schedule(" << schedule << ")";
  if (buffers)
    printer << " buffers(" << buffers << ")";
  if (guard)
    printer << " guard(" << body.getArgument(guard.getInt()) << ")";
  printer << " : (" << inputTypes << ") -> ";
  // The parentheses of one result are optional, as in a function type.
  if (resultTypes.size() == 1)
    printer << resultTypes.front();
  else
    printer << "(" << resultTypes << ")";
  printer << " ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

// What kernels ask of ops

SmallVector<int64_t> mp::detail::lastDimension(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return type.getRank() == 0 ? SmallVector<int64_t>{} : SmallVector<int64_t>{type.getRank() - 1};
}

// mp.kernel

static LogicalResult verifyGuard(KernelOp op) {
  std::optional<uint64_t> guard = op.getGuard();
  if (!guard)
    return success();
  Type scalar = RankedTensorType::get({}, IntegerType::get(op.getContext(), 32));
  if (*guard >= op.getInputs().size() || op.getInputs()[*guard].getType() != scalar)
    return violates(op, 6) << "guard is not an input of type " << scalar;
  return op.getBuffers() ? success() : violates(op, 6) << "has a guard, but its results have no buffers";
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return violates(*this, 1) << "has " << getInputs().size() << " inputs and " << block.getNumArguments()
                              << " block arguments";
  for (auto [index, input, argument] : llvm::enumerate(getInputs().getTypes(), block.getArgumentTypes()))
    if (input != argument)
      return violates(*this, 1) << "input " << index << " is " << input << ", its block argument " << argument;
  if (getBuffers() && getBuffers()->size() != getNumResults())
    return violates(*this, 4) << "has " << getNumResults() << " results and " << getBuffers()->size() << " buffers";
  return verifyGuard(*this);
}

LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return violates(*this, 2) << "ends with " << block.back().getName() << ", expected mp.yield";
  if (yield.getNumOperands() != getNumResults())
    return violates(*this, 2) << "has " << getNumResults() << " results, but yields " << yield.getNumOperands()
                              << " values";
  for (auto [index, result, value] : llvm::enumerate(getResultTypes(), yield.getOperandTypes()))
    if (result != value)
      return violates(*this, 2) << "result " << index << " is " << result << ", the yielded value " << value;

  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  if (!llvm::all_of(block.getArgumentTypes(), isStatic))
    return violates(*this, 3) << "has an input without static shape; mp-specialize makes shapes static";
  for (Operation &op : block.without_terminator()) {
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    if (!kernelOp || llvm::is_contained({KernelRole::Composite, KernelRole::None}, kernelOp.getKernelRole()))
      return violates(*this, 5) << "holds " << op.getName() << ", which is not an op of a kernel";
    if (!llvm::all_of(op.getResultTypes(), isStatic))
      return violates(*this, 3) << "holds a value without static shape; mp-specialize makes shapes static";
  }
  return success();
}

// Kernel-level ops

LogicalResult SoftmaxCrossEntropyRowsOp::verify() {
  return verifyRows(*this, getLogits(), "logits", {{getLabels(), "labels"}});
}

LogicalResult SoftmaxCrossEntropyGradRowsOp::verify() {
  if (failed(verifyRows(*this, getLogits(), "logits", {{getLabels(), "labels"}, {getFactor(), "factors"}})))
    return failure();
  return verifyLossType(*this, getLogits(), getFactor(), "factors");
}

static LogicalResult verifyAtLeastOne(Operation *op, unsigned constraint, int64_t value, StringRef name) {
  return value > 0 ? success()
                   : violates(op, constraint)
                         << name << (name.ends_with("s") ? " are " : " is ") << value << ", expected at least 1";
}

LogicalResult NonfiniteBlocksOp::verify() { return verifyAtLeastOne(*this, 1, getBlock(), "block"); }
LogicalResult SumSquaresBlocksOp::verify() { return verifyAtLeastOne(*this, 1, getBlock(), "block"); }

LogicalResult MatmulPartsOp::verify() {
  if (failed(verifyProductTypes(*this, getAcc())))
    return failure();
  return verifyAtLeastOne(*this, 3, getDepth(), "depth");
}

LogicalResult ConvFilterGradPartsOp::verify() {
  if (failed(verifyProductTypes(*this, getAcc(), "image", "gradient")))
    return failure();
  return verifyAtLeastOne(*this, 3, getDepth(), "depth");
}

LogicalResult SumRowBlocksOp::verify() {
  RankedTensorType input = getInput().getType();
  if (input.getRank() != 2 || input.getElementType().isF64())
    return violates(*this, 1) << "input is " << input << ", expected a matrix of f16, bf16 or f32";
  return verifyAtLeastOne(*this, 2, getBlock(), "block");
}

LogicalResult RowBlockMomentsOp::verify() {
  RankedTensorType input = getInput().getType();
  if (input.getRank() < 2 || input.getElementType().isF64())
    return violates(*this, 1) << "input is " << input << ", expected two dimensions or more of f16, bf16 or f32";
  return verifyAtLeastOne(*this, 2, getBlock(), "block");
}

LogicalResult RecenterSquaresOp::verify() {
  if (failed(verifyAtLeastOne(*this, 2, getBlock(), "block")))
    return failure();
  RankedTensorType shifts = getShifts().getType(), center = getCenter().getType();
  const auto blocks = static_cast<int64_t>(llvm::divideCeil(getRows(), getBlock()));
  if (shifts.getRank() != 2 || !agree(shifts.getDimSize(0), blocks))
    return violates(*this, 1) << "shifts are " << shifts << ", expected a matrix of " << blocks << " rows";
  if (center.getRank() != 1 || !agree(center.getDimSize(0), shifts.getDimSize(1)))
    return violates(*this, 1) << "center is " << center << ", expected an element for each column of " << shifts;
  return success();
}

LogicalResult NonfiniteTilesOp::verify() {
  if (getInput().getType().getRank() < 2)
    return violates(*this, 1) << "input is " << getInput().getType() << ", expected two dimensions or more";
  return failure(failed(verifyAtLeastOne(*this, 2, getRows(), "rows")) ||
                 failed(verifyAtLeastOne(*this, 2, getColumns(), "columns")));
}

// Schedules and buffers

static LogicalResult verifyPositive(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                    ArrayRef<int64_t> parameters) {
  for (int64_t parameter : parameters)
    if (parameter < 1)
      return violates(emitError(), "#" + name, 1)
             << "a parameter of the schedule is " << parameter << ", expected at least 1";
  return success();
}

LogicalResult ContractionScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t blockM,
                                              int64_t blockN, int64_t blockK, int64_t tileM, int64_t tileN,
                                              int64_t vector, TileInstruction instruction, int64_t products,
                                              bool packLhs, bool packRhs, bool streamRhs, bool readLhs, bool readRhs,
                                              bool transposed) {
  if (failed(verifyPositive(emitError, name, {blockM, blockN, blockK, tileM, tileN, vector})))
    return failure();
  if (blockM % tileM != 0 || blockN % tileN != 0)
    return violates(emitError(), "#" + name, 1)
           << "tiles " << tileM << " x " << tileN << " do not divide blocks " << blockM << " x " << blockN;
  if (tileN % vector != 0)
    return violates(emitError(), "#" + name, 1) << "vector " << vector << " does not divide tile_n " << tileN;
  if (instruction == TileInstruction::Dot && !llvm::is_contained({4, 8, 16}, vector))
    return violates(emitError(), "#" + name, 2) << "vector of a dot is " << vector << ", expected 4, 8 or 16";
  if (packRhs && streamRhs)
    return violates(emitError(), "#" + name, 3) << "rhs is packed and streamed";
  if (readRhs && (packRhs || streamRhs))
    return violates(emitError(), "#" + name, 3)
           << "rhs is " << (packRhs ? "packed" : "streamed") << " and read where a block keeps it";
  if (packLhs && readLhs)
    return violates(emitError(), "#" + name, 3) << "lhs is packed and read where it lies";
  const bool isAmx = instruction == TileInstruction::Amx;
  if ((readLhs || readRhs) && products != 1)
    return violates(emitError(), "#" + name, 3)
           << (readLhs ? "lhs is read where it lies by " : "rhs is read where a block keeps it by ") << products
           << " products of parts, expected one product";
  if (products != 1 && !(isAmx && llvm::is_contained({3, 6, 9}, products)))
    return violates(emitError(), "#" + name, 5) << products << " products of " << stringifyTileInstruction(instruction)
                                                << ", expected 1, or 3, 6 or 9 of amx";
  if (transposed && instruction == TileInstruction::Amx)
    return violates(emitError(), "#" + name, 6) << "operands of an amx change places";
  if (transposed && (packLhs || packRhs))
    return violates(emitError(), "#" + name, 6) << (packLhs ? "lhs" : "rhs") << " is packed and changes places";
  if (!isAmx)
    return success();
  if (streamRhs)
    return violates(emitError(), "#" + name, 3) << "rhs of an amx is streamed";
  if (vector != kTileColumns || blockK % kTileDepth != 0 || blockK > kMostOfPanel)
    return violates(emitError(), "#" + name, 4) << "an amx has vector " << vector << " and block_k " << blockK
                                                << ", expected 16 and a multiple of 32 of at most 2^20";
  const int64_t rows = llvm::divideCeil(tileM, kTileRows), columns = tileN / kTileColumns;
  const int64_t ofLhs = columns == 1 ? 1 : rows;
  if (rows * columns + ofLhs + 1 > kTileRegisters)
    return violates(emitError(), "#" + name, 4)
           << "tiles " << tileM << " x " << tileN << " need more than the " << kTileRegisters << " tile registers";
  return success();
}
LogicalResult PackScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t panels, int64_t vector) {
  return verifyPositive(emitError, name, {panels, vector});
}
LogicalResult MmaScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t blockM, int64_t blockN,
                                      int64_t blockK, int64_t warpsM, int64_t warpsN, int64_t stages, int64_t splitK,
                                      MatrixInstruction instruction) {
  if (failed(verifyPositive(emitError, name, {blockM, blockN, blockK, warpsM, warpsN, stages, splitK})))
    return failure();
  constexpr int64_t kMost = 4096;
  for (int64_t parameter : {blockM, blockN, blockK, stages})
    if (parameter > kMost)
      return violates(emitError(), "#" + name, 1)
             << "expected blocks and stages of at most " << kMost << ", found " << parameter;
  if (stages < 2)
    return violates(emitError(), "#" + name, 1) << "stages is " << stages << ", expected at least 2";
  if (warpsM > 32 || warpsN > 32 || warpsM * warpsN > 32)
    return violates(emitError(), "#" + name, 4)
           << "warps of a block are " << warpsM << " x " << warpsN << ", expected at most 32 in all";
  const bool isFma = instruction == MatrixInstruction::Fma;
  const int64_t leastM = 16, leastN = isFma ? 32 : 16;
  auto isTile = [](int64_t block, int64_t warps, int64_t least) {
    return llvm::isPowerOf2_64(block) && llvm::isPowerOf2_64(warps) && block / warps >= least;
  };
  if (!isTile(blockM, warpsM, leastM) || !isTile(blockN, warpsN, leastN))
    return violates(emitError(), "#" + name, 2)
           << "blocks " << blockM << " x " << blockN << " and warps " << warpsM << " x " << warpsN
           << " are not powers of two that make tiles of at least " << leastM << " x " << leastN;
  const int64_t leastK = isFma || instruction == MatrixInstruction::Mma16x8x8TF32 ? 8 : 16;
  if (!llvm::isPowerOf2_64(blockK) || blockK < leastK)
    return violates(emitError(), "#" + name, 3)
           << "block_k is " << blockK << ", expected a power of two, at least " << leastK;
  return success();
}
LogicalResult MapScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t block, int64_t vector,
                                      int64_t threads, int64_t tile) {
  if (failed(verifyPositive(emitError, name, {block, vector, threads, tile})))
    return failure();
  if (tile > 1 && (block != tile * tile || tile % vector != 0))
    return violates(emitError(), "#" + name, 2)
           << "a tile of " << tile << " takes a block of " << tile * tile << " and a vector that divides it, found "
           << block << " and " << vector;
  return block % vector == 0
             ? success()
             : violates(emitError(), "#" + name, 1) << "vector " << vector << " does not divide block " << block;
}
LogicalResult RowScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t vector,
                                      int64_t threads, int64_t threadsPerRow) {
  if (failed(verifyPositive(emitError, name, {rows, vector, threads, threadsPerRow})))
    return failure();
  return threads % threadsPerRow == 0 ? success()
                                      : violates(emitError(), "#" + name, 1) << "threads_per_row " << threadsPerRow
                                                                             << " does not divide threads " << threads;
}
LogicalResult ColumnScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t columns, int64_t vector,
                                         int64_t threads) {
  if (failed(verifyPositive(emitError, name, {columns, vector, threads})))
    return failure();
  return columns % vector == 0
             ? success()
             : violates(emitError(), "#" + name, 1) << "vector " << vector << " does not divide columns " << columns;
}
LogicalResult PartialScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t block, int64_t vector,
                                          int64_t threads) {
  return verifyPositive(emitError, name, {block, vector, threads});
}
LogicalResult SerialScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t vector,
                                         int64_t threads) {
  return verifyPositive(emitError, name, {vector, threads});
}
LogicalResult AttentionScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t queries, int64_t keys,
                                            int64_t tile, int64_t tileVectors, int64_t vector) {
  if (failed(verifyPositive(emitError, name, {queries, keys, tile, tileVectors, vector})))
    return failure();
  if (queries % tile != 0 || keys % tile != 0 || keys % vector != 0)
    return violates(emitError(), "#" + name, 1)
           << "tile " << tile << " and vector " << vector << " do not divide blocks of " << queries << " queries and "
           << keys << " keys";
  return success();
}
LogicalResult ArenaBufferAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t offset) {
  return offset >= 0 && offset % 64 == 0 ? success()
                                         : violates(emitError(), "#" + name, 1)
                                               << "offset " << offset
                                               << ", expected a multiple of 64 that is at least 0";
}
LogicalResult ResultBufferAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t index) {
  return index >= 0 ? success() : violates(emitError(), "#" + name, 1) << "result number " << index << " is negative";
}
