// Calls of the device's functions from generated code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/SIMT/Caller.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>

using namespace mlir;
using namespace mp;

static LLVM::LLVMPointerType pointerType(MLIRContext *context) { return LLVM::LLVMPointerType::get(context); }

static Value constant64(ImplicitLocOpBuilder &b, int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(value));
}

static LLVM::AllocaOp makeFrame(ImplicitLocOpBuilder &b) {
  return LLVM::AllocaOp::create(b, pointerType(b.getContext()), b.getI8Type(), constant64(b, 0), /*alignment=*/16);
}

SimulatorCaller::SimulatorCaller(LLVM::LLVMFuncOp function, Value context) : function(function), context(context) {
  auto b = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &function.getBody().front());
  operandFrame = makeFrame(b);
  resultFrame = makeFrame(b);
}

void SimulatorCaller::finish() {
  for (auto [frame, bytes] : {std::pair(operandFrame, operandBytes), std::pair(resultFrame, resultBytes)}) {
    auto size = frame.getArraySize().getDefiningOp<LLVM::ConstantOp>();
    size.setValueAttr(Builder(frame.getContext()).getI64IntegerAttr(llvm::alignTo(std::max<int64_t>(bytes, 16), 16)));
  }
}

Value SimulatorCaller::advance(ImplicitLocOpBuilder &b, Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value SimulatorCaller::field(Operation *op, uint32_t offset, Type type) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto load = LLVM::LoadOp::create(b, type, advance(b, context, offset));
  load.setInvariant(true);
  return load;
}

/// The first position in a file that the location names; else all of it.
static std::string describe(Location location) {
  std::string text;
  llvm::raw_string_ostream out(text);
  FileLineColLoc position;
  location->walk([&](Location part) {
    position = dyn_cast<FileLineColLoc>(part);
    return position ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (position)
    out << position.getFilename().getValue() << ":" << position.getLine() << ":" << position.getColumn();
  else
    out << location;
  return text;
}

/// A constant with the immediates and "nvvm.barrier0 #3 at model.mlir:4:8". As bytes it needs no relocation.
Value SimulatorCaller::makeSite(ImplicitLocOpBuilder &b, Operation *op, ArrayRef<uint32_t> immediates) {
  const unsigned number = sites++;
  std::string bytes(sizeof(SimulatorSite::immediates), '\0');
  std::memcpy(bytes.data(), immediates.data(), immediates.size() * sizeof(uint32_t));
  bytes += op->getName().getStringRef().str() + " #" + std::to_string(number) + " at " + describe(op->getLoc());
  bytes += '\0';

  const std::string name = (function.getName() + "__site" + std::to_string(number)).str();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  auto site = LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Private, name, b.getStringAttr(bytes),
                                     /*alignment=*/4);
  b.setInsertionPoint(op);
  return LLVM::AddressOfOp::create(b, site);
}

Value SimulatorCaller::call(Operation *op, SimulatorEntry entry, ArrayRef<Value> operands,
                            ArrayRef<uint32_t> immediates, Type result) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  const DataLayout layout(op->getParentOfType<ModuleOp>());
  int64_t at = 0;
  for (Value operand : operands) {
    if (operand.getType().isInteger(1))
      operand = LLVM::ZExtOp::create(b, b.getI8Type(), operand);
    const int64_t bytes = layout.getTypeSize(operand.getType());
    at = llvm::alignTo(at, bytes);
    LLVM::StoreOp::create(b, operand, advance(b, operandFrame, at), /*alignment=*/bytes);
    at += bytes;
  }
  operandBytes = std::max(operandBytes, at);

  Value table = field(op, offsetof(SimulatorContext, functions), pointerType(b.getContext()));
  const int64_t slot = static_cast<int64_t>(entry) * sizeof(SimulatorFunction);
  auto function = LLVM::LoadOp::create(b, table.getType(), advance(b, table, slot));
  function.setInvariant(true);
  Value site = makeSite(b, op, immediates);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          SmallVector<Type>(4, pointerType(b.getContext())));
  LLVM::CallOp::create(b, type, ValueRange{function, context, site, operandFrame, resultFrame});
  if (!result)
    return nullptr;
  resultBytes = std::max<int64_t>(resultBytes, layout.getTypeSize(result));
  if (!result.isInteger(1))
    return LLVM::LoadOp::create(b, result, resultFrame);
  Value byte = LLVM::LoadOp::create(b, b.getI8Type(), resultFrame);
  return LLVM::TruncOp::create(b, result, byte);
}
