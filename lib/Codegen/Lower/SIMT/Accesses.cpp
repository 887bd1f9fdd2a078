// Reports of loads and stores to the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/SIMT/Caller.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mp;

namespace {

/// One access: what it does, where, to which type.
struct Access {
  SimulatorEntry kind;
  Value address;
  Type type;
};

} // namespace

static std::optional<Access> accessOf(Operation *op) {
  using Result = std::optional<Access>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](LLVM::LoadOp load) {
        const bool isAtomic = load.getOrdering() != LLVM::AtomicOrdering::not_atomic;
        return Access{isAtomic ? SimulatorEntry::Atomic : SimulatorEntry::Load, load.getAddr(), load.getType()};
      })
      .Case([](LLVM::StoreOp store) {
        const bool isAtomic = store.getOrdering() != LLVM::AtomicOrdering::not_atomic;
        return Access{isAtomic ? SimulatorEntry::Atomic : SimulatorEntry::Store, store.getAddr(),
                      store.getValue().getType()};
      })
      .Case([](LLVM::AtomicRMWOp atomic) {
        return Access{SimulatorEntry::Atomic, atomic.getPtr(), atomic.getVal().getType()};
      })
      .Case([](LLVM::AtomicCmpXchgOp atomic) {
        return Access{SimulatorEntry::Atomic, atomic.getPtr(), atomic.getVal().getType()};
      })
      .Default(Result());
}

/// Intrinsics that touch memory whose extent their types do not say.
static bool hasUnknownExtent(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return llvm::any_of(call.getArgs().getTypes(), [](Type type) { return isa<LLVM::LLVMPointerType>(type); });
  return isa<LLVM::MemcpyOp, LLVM::MemmoveOp, LLVM::MemsetOp, LLVM::MaskedLoadOp, LLVM::MaskedStoreOp,
             LLVM::masked_gather, LLVM::masked_scatter>(op);
}

static Value baseOf(Value address) {
  while (auto element = address.getDefiningOp<LLVM::GEPOp>())
    address = element.getBase();
  return address;
}

/// An alloca is the thread's own.
static bool isOwn(Value address) { return baseOf(address).getDefiningOp<LLVM::AllocaOp>() != nullptr; }

/// Constants are the code's, no buffer that a device knows: of an access within them no byte is reported.
static Value outsideOfConstants(LLVM::AddressOfOp constants, Value address, Value size, const DataLayout &layout,
                                OpBuilder &b) {
  const Location loc = address.getLoc();
  SymbolTableCollection symbols;
  const int64_t bytes = layout.getTypeSize(constants.getGlobal(symbols).getType());
  auto number = [&](Value pointer) { return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer); };
  auto constant = [&](int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(), b.getI64IntegerAttr(value));
  };
  // Below 0 is above every bound without a sign.
  Value offset = LLVM::SubOp::create(b, loc, number(address), number(constants));
  Value last = LLVM::SubOp::create(b, loc, constant(bytes), size);
  Value isWithin = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ule, offset, last);
  return LLVM::SelectOp::create(b, loc, isWithin, constant(0), size);
}

FailureOr<SmallVector<Operation *>> mp::findAccesses(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> accesses;
  WalkResult walked = function.walk([&](Operation *op) {
    if (hasUnknownExtent(op)) {
      op->emitOpError("cannot be checked on the simulated device: use loads and stores");
      return WalkResult::interrupt();
    }
    if (std::optional<Access> access = accessOf(op); access && !isOwn(access->address))
      accesses.push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return accesses;
}

void mp::reportAccess(Operation *op, SimulatorCaller &caller) {
  const Access access = *accessOf(op);
  const DataLayout layout(op->getParentOfType<ModuleOp>());
  OpBuilder b(op);
  const int64_t bytes = layout.getTypeSize(access.type);
  Value size = LLVM::ConstantOp::create(b, op->getLoc(), b.getI64Type(), b.getI64IntegerAttr(bytes));
  const unsigned space = cast<LLVM::LLVMPointerType>(access.address.getType()).getAddressSpace();
  if (auto constants = baseOf(access.address).getDefiningOp<LLVM::AddressOfOp>(); constants && space != 3)
    size = outsideOfConstants(constants, access.address, size, layout, b);
  caller.call(op, access.kind, {access.address, size}, {space}, Type());
}
