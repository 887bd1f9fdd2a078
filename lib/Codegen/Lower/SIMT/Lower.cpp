// GPU functions as host functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/SIMT/Caller.h"
#include "Codegen/Lower/SIMT/Simulate.h"
#include "Codegen/Lower/SIMT/Table.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <cstddef>

using namespace mlir;
using namespace mp;

/// Attributes that speak of the GPU.
static void dropAttributes(Operation *op) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
    op->removeDiscardableAttr(attribute.getName());
}

/// `f(%b0: !llvm.ptr<1>, ...)` becomes `f(%buffers: !llvm.ptr, %block: i64, %context: !llvm.ptr)`. Gives the context.
static Value changeSignature(LLVM::LLVMFuncOp function) {
  MLIRContext *context = function.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Block &entry = function.getBody().front();
  const unsigned count = entry.getNumArguments();
  Value buffers = entry.addArgument(pointer, function.getLoc());
  entry.addArgument(IntegerType::get(context, 64), function.getLoc());
  Value device = entry.addArgument(pointer, function.getLoc());

  auto b = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(), &entry);
  for (unsigned index = 0; index < count; ++index) {
    BlockArgument argument = entry.getArgument(index);
    Value address =
        LLVM::GEPOp::create(b, pointer, pointer, buffers, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    auto load = LLVM::LoadOp::create(b, argument.getType(), address);
    load.setInvariant(true);
    argument.replaceAllUsesWith(load);
  }
  entry.eraseArguments(0, count);

  dropAttributes(function);
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setCConv(LLVM::CConv::C);
  function.setLinkage(LLVM::Linkage::External);
  function.setFunctionType(
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), SmallVector<Type>(entry.getArgumentTypes())));
  return device;
}

static void lowerRow(Operation *op, const NVVMRow &row, SimulatorCaller &caller) {
  OpBuilder b(op);
  Type type = op->getNumResults() ? op->getResult(0).getType() : Type();
  Value result;
  switch (row.form) {
  case NVVMRow::Form::Register:
    result = caller.field(op, row.field, type);
    break;
  case NVVMRow::Form::Call: {
    SmallVector<Value> operands = row.operands ? row.operands(op, b) : SmallVector<Value>(op->getOperands());
    SiteImmediates immediates = row.immediates ? row.immediates(op) : SiteImmediates();
    result = caller.call(op, row.entry, operands, immediates, type);
    break;
  }
  case NVVMRow::Form::Fence:
    LLVM::FenceOp::create(b, op->getLoc(), LLVM::AtomicOrdering::seq_cst, /*syncscope=*/"");
    break;
  }
  if (result)
    op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// What hides a value from the GPU's compiler is of its registers.
static void showHidden(LLVM::LLVMFuncOp function) {
  function.walk([](LLVM::InlineAsmOp hidden) {
    hidden.getRes().replaceAllUsesWith(hidden->getOperand(0));
    hidden.erase();
  });
}

/// Addresses of the one shared global are the block's shared memory.
static void lowerSharedAddress(LLVM::AddressOfOp op, SimulatorCaller &caller) {
  op.getResult().replaceAllUsesWith(caller.field(op, offsetof(SimulatorContext, shared), op.getType()));
  op.erase();
}

/// The word from which the device knows what it loads.
static void addInfo(LLVM::LLVMFuncOp function, const SimulatorChecks &checks) {
  OpBuilder b(function);
  const uint32_t info = kSimulatorVersion | (checks.memory ? kSimulatorChecked : 0);
  LLVM::GlobalOp::create(b, function.getLoc(), b.getI32Type(), /*isConstant=*/true, LLVM::Linkage::External,
                         (function.getName() + kSimulatorInfoSuffix).str(), b.getI32IntegerAttr(info));
}

static LogicalResult lowerFunction(LLVM::LLVMFuncOp function, const SimulatorChecks &checks) {
  showHidden(function);
  SmallVector<Operation *> accesses;
  if (checks.memory) {
    FailureOr<SmallVector<Operation *>> found = findAccesses(function);
    if (failed(found))
      return failure();
    accesses = std::move(*found);
  }
  SimulatorCaller caller(function, changeSignature(function));
  for (Operation *access : accesses)
    reportAccess(access, caller);
  SmallVector<Operation *> nvvm;
  SmallVector<LLVM::AddressOfOp> addresses;
  function.walk([&](Operation *op) {
    if (isa_and_nonnull<NVVM::NVVMDialect>(op->getDialect()))
      nvvm.push_back(op);
    else if (auto address = dyn_cast<LLVM::AddressOfOp>(op);
             address && cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == 3)
      addresses.push_back(address);
  });
  for (Operation *op : nvvm)
    lowerRow(op, *findRow(op), caller);
  for (LLVM::AddressOfOp address : addresses)
    lowerSharedAddress(address, caller);
  lowerNarrowFloats(function, caller);
  caller.finish();
  addInfo(function, checks);
  return success();
}

LogicalResult mp::lowerToSimulator(ModuleOp module, const SimulatorChecks &checks) {
  if (failed(verifyNVVM(module)))
    return failure();
  dropAttributes(module);
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>())) {
    if (function.isExternal())
      return function.emitOpError("a GPU kernel has a body");
    if (failed(lowerFunction(function, checks)))
      return failure();
  }
  for (auto global : llvm::to_vector(module.getOps<LLVM::GlobalOp>()))
    if (global.getAddrSpace() == 3)
      global.erase();
  return success();
}
