// A kernel as a function of a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/GPUFunction.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <limits>

using namespace mlir;
using namespace mp;

static LLVM::ConstantRangeAttr rangeBelow(MLIRContext *context, int64_t bound) {
  return LLVM::ConstantRangeAttr::get(context, APInt(32, 0), APInt(32, static_cast<uint64_t>(bound)));
}

static LLVM::LLVMPointerType globalPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
}

GPUFunction::GPUFunction(KernelOp kernel, StringRef symbol, const Chip &chip, int64_t threads)
    : KernelFunction(kernel), chip(chip), threads(threads),
      buffersInMemory(kernel.getInputs().size() + kernel.getNumResults() > kMostParameters) {
  MLIRContext *context = b.getContext();
  const unsigned buffers = kernel.getInputs().size() + kernel.getNumResults();
  SmallVector<Type> parameters(buffersInMemory ? 1 : buffers, globalPointer(context));
  auto function =
      LLVM::LLVMFuncOp::create(b, symbol, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), parameters));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                    b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPointToStart(entry);
  // Every buffer lies at a multiple of 64 bytes.
  for (BlockArgument argument : entry->getArguments())
    function.setArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
  if (buffersInMemory)
    pointers = entry->getArgument(0);
  for (unsigned index = 0; index < buffers; ++index) {
    Value pointer = buffersInMemory ? loadPointer(i64(index)) : Value(entry->getArgument(index));
    (index < kernel.getInputs().size() ? inputs : results).push_back(pointer);
  }

  auto wide = [&](Value value) -> Value { return arith::ExtUIOp::create(b, b.getI64Type(), value); };
  auto threadRegister = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  threadRegister.setRangeAttr(rangeBelow(context, threads));
  auto blockOp = NVVM::BlockIdXOp::create(b, b.getI32Type());
  blockRegister = blockOp;
  thread = wide(threadRegister);
  block = wide(blockOp);
  lane = rem(thread, Chip::kWarp);
}

Value GPUFunction::hidden(Value value) { return mp::hidden(b, value, value.getType().isInteger(32) ? "=r,0" : "=l,0"); }

Value GPUFunction::allocateConstants(ArrayRef<int64_t> values) {
  for (auto known : module->getOps<LLVM::GlobalOp>())
    if (known.getValueAttr() == b.getI64TensorAttr(values))
      return LLVM::AddressOfOp::create(b, known);
  auto global = [&] {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module->getBody());
    return LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI64Type(), values.size()), /*isConstant=*/true,
                                  LLVM::Linkage::Internal, "mp_constants" + std::to_string(constants++),
                                  b.getI64TensorAttr(values), /*alignment=*/Chip::kAccessBytes,
                                  static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
  }();
  return LLVM::AddressOfOp::create(b, global);
}

Value GPUFunction::loadPointer(Value number) {
  Type pointer = pointers.getType();
  auto loaded = LLVM::LoadOp::create(b, pointer, offset(pointers, pointer, number), /*alignment=*/8);
  loaded.setInvariant(true);
  return loaded;
}

LogicalResult GPUFunction::withBuffers(ArrayRef<unsigned> buffers, ArrayRef<Value> own,
                                       function_ref<LogicalResult()> emit) {
  SmallVector<Value> formerInputs = inputs, formerResults = results;
  for (auto [buffer, pointer] : llvm::zip_equal(buffers, own))
    (buffer < inputs.size() ? inputs[buffer] : results[buffer - inputs.size()]) = pointer;
  LogicalResult done = emit();
  inputs = std::move(formerInputs);
  results = std::move(formerResults);
  return done;
}

int64_t GPUFunction::sharedBytes() const { return static_cast<int64_t>(llvm::alignTo(mostShared, Chip::kAccessBytes)); }

Value GPUFunction::sharedAt(int64_t start) {
  if (!shared) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module->getBody());
    shared = LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                                    LLVM::Linkage::External, kSharedMemory, Attribute(), /*alignment=*/1024,
                                    static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  }
  return offset(LLVM::AddressOfOp::create(b, shared), b.getI8Type(), start);
}

int64_t GPUFunction::reserveShared(int64_t bytes, int64_t alignment) {
  const auto start = static_cast<int64_t>(llvm::alignTo(usedShared, alignment));
  usedShared = start + bytes;
  mostShared = std::max(mostShared, usedShared);
  return start;
}

Value GPUFunction::allocateShared(int64_t bytes, int64_t alignment) {
  return sharedAt(reserveShared(bytes, alignment));
}

FailureOr<ScalarParts> GPUFunction::onceInBlock(function_ref<FailureOr<ScalarParts>()> build) {
  FailureOr<ScalarParts> built = failure();
  int64_t start = 0, bytes = 4;
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, i64(0));
  LogicalResult done = when(isFirst, [&] {
    built = build();
    if (failed(built))
      return failure();
    for (Value part : *built)
      bytes = std::max<int64_t>(bytes, part.getType().getIntOrFloatBitWidth() / 8);
    start = reserveShared(bytes * static_cast<int64_t>(built->size()), /*alignment=*/16);
    for (auto [index, part] : llvm::enumerate(*built))
      LLVM::StoreOp::create(b, part, sharedAt(start + bytes * static_cast<int64_t>(index)));
    return success();
  });
  if (failed(done))
    return failure();
  barrier();
  ScalarParts known;
  for (auto [index, part] : llvm::enumerate(*built))
    known.push_back(LLVM::LoadOp::create(b, part.getType(), sharedAt(start + bytes * static_cast<int64_t>(index))));
  return known;
}

Value GPUFunction::sharedForWarps(Type type, unsigned index) {
  constexpr int64_t kBytes = 8;
  assert(type.getIntOrFloatBitWidth() <= 8 * kBytes);
  while (warpOffsets.size() <= index) {
    allocateShared(kBytes * (threads / Chip::kWarp));
    warpOffsets.push_back(usedShared - kBytes * (threads / Chip::kWarp));
  }
  return sharedAt(warpOffsets[index]);
}

Value GPUFunction::allocateShared(Type element, int64_t elements) {
  return allocateShared(elements * memoryBytes(element));
}

void GPUFunction::barrier() { NVVM::BarrierOp::create(b); }

void GPUFunction::barrierOfWarp() { NVVM::SyncWarpOp::create(b, intConstant(b, b.getI32Type(), -1)); }

Value GPUFunction::shuffleXor(Value value, int64_t lanes) {
  Type type = value.getType(), i32 = b.getI32Type(), i64Type = b.getI64Type();
  const unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return NVVM::ShflOp::create(b, type, intConstant(b, i32, -1), value, intConstant(b, i32, lanes),
                                intConstant(b, i32, Chip::kWarp - 1), NVVM::ShflKind::bfly, UnitAttr());
  if (bits < 32)
    return arith::TruncIOp::create(b, type, shuffleXor(arith::ExtUIOp::create(b, i32, value), lanes));
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(b, type, shuffleXor(arith::BitcastOp::create(b, i64Type, value), lanes));
  Value low = shuffleXor(arith::TruncIOp::create(b, i32, value), lanes);
  Value high = arith::ShRUIOp::create(b, value, i64(32));
  high = shuffleXor(arith::TruncIOp::create(b, i32, high), lanes);
  high = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64Type, high), i64(32));
  return arith::OrIOp::create(b, high, arith::ExtUIOp::create(b, i64Type, low));
}

Value GPUFunction::shuffleFrom(Value value, Value from) {
  Type i32 = b.getI32Type();
  return NVVM::ShflOp::create(b, i32, intConstant(b, i32, -1), value, from, intConstant(b, i32, Chip::kWarp - 1),
                              NVVM::ShflKind::idx, UnitAttr());
}

LogicalResult GPUFunction::finish(int64_t grid) {
  if (grid > std::numeric_limits<int32_t>::max())
    return kernel.emitOpError("needs ") << grid << " blocks; a launch has at most 2147483647";
  if (sharedBytes() > chip.sharedBytesPerBlock)
    return kernel.emitOpError("needs ") << sharedBytes() << " bytes of shared memory in a block; " << chip.name
                                        << " has " << chip.sharedBytesPerBlock;
  cast<NVVM::BlockIdXOp>(blockRegister).setRangeAttr(rangeBelow(b.getContext(), std::max<int64_t>(grid, 1)));
  return success();
}
