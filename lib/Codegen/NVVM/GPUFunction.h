// A kernel as a function of a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_GPUFUNCTION_H
#define MP_LIB_CODEGEN_NVVM_GPUFUNCTION_H

#include "Codegen/Emit/KernelFunction.h"
#include "mp/Hardware/ChipTable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mp {

/// The one global of a module: shared memory, whose size the launch says.
inline constexpr llvm::StringLiteral kSharedMemory = "mp_shared";

/// `void symbol(global pointer, ...)` with a pointer for each buffer, run by `threads` threads of each block. Of a
/// kernel of more than kMostParameters buffers it is `void symbol(global pointer)`: to their pointers, in order, which
/// lie in memory. Ops of the arith, scf, math, vector, LLVM and NVVM dialects; no others.
class GPUFunction : public KernelFunction {
public:
  /// Far from what parameters may take on any chip (4352 bytes), and few enough that the code for each is small.
  static constexpr unsigned kMostParameters = 64;

  /// `threads` is a multiple of 32, at most 1024.
  GPUFunction(KernelOp kernel, llvm::StringRef symbol, const Chip &chip, int64_t threads);

  const Chip &chip;
  const int64_t threads;
  /// Whether the pointers of the buffers lie in memory.
  const bool buffersInMemory;
  /// The number of this thread in its block and of its lane in its warp, i64.
  mlir::Value thread, lane;

  /// Elements at columns that are multiples of their width: accesses as wide as rows allow.
  Elements makeElements() override { return Elements(b, /*alignsLanes=*/true); }

  /// Sets shared memory of the block aside and gives its address, aligned to `alignment`, a power of two up to 1024.
  mlir::Value allocateShared(int64_t bytes, int64_t alignment = 16);
  /// The same for `elements` values of `element` in memory.
  mlir::Value allocateShared(mlir::Type element, int64_t elements);
  /// The same for one value of `type` from each warp, of up to 8 bytes, and for several of those by `index`. All who
  /// ask share it, with barriers between.
  mlir::Value sharedForWarps(mlir::Type type, unsigned index);
  /// What `build` gives, scalars of up to 8 bytes, built by one thread of the block and known to all. All threads are
  /// here.
  mlir::FailureOr<ScalarParts> onceInBlock(llvm::function_ref<mlir::FailureOr<ScalarParts>()> build);
  /// The most that was set aside at once, up to whole accesses: LLVM may widen those of neighbours to 16 bytes.
  int64_t sharedBytes() const;
  /// What is set aside from here on may be set aside again after emit(): for code that a block runs instead of other.
  template <typename Emit> auto releasingShared(Emit emit) {
    const int64_t before = usedShared;
    const size_t count = warpOffsets.size();
    auto result = emit();
    usedShared = before;
    warpOffsets.truncate(count);
    return result;
  }

  /// `value`, an i32 or an address, of which LLVM does not know where it comes from. What a loop computes from its
  /// counter stays what it is then: LLVM would count each address and each product of the counter on its own, in 64
  /// bits. Of an address a constant stays a part: in the loop an instruction may have no room for it.
  mlir::Value hidden(mlir::Value value);
  /// Constants in global memory, those of equal values the same; gives their address.
  mlir::Value allocateConstants(llvm::ArrayRef<int64_t> values);
  /// The pointer of the buffer of that number, i64, where they lie in memory.
  mlir::Value loadPointer(mlir::Value number);
  /// emit(), to which `pointers` are those of `buffers`.
  mlir::LogicalResult withBuffers(llvm::ArrayRef<unsigned> buffers, llvm::ArrayRef<mlir::Value> pointers,
                                  llvm::function_ref<mlir::LogicalResult()> emit);

  /// All threads of the block are here, and see what each other wrote before.
  void barrier();
  /// All lanes of the warp are here, and see what each other wrote before.
  void barrierOfWarp();
  /// What the lane whose number differs in the bits of `lanes` has for `value`: i32, f32, i64, f64, i1 or i8. All lanes
  /// of the warp take part.
  mlir::Value shuffleXor(mlir::Value value, int64_t lanes);
  /// What lane `from` has for `value`, both i32. All lanes of the warp take part.
  mlir::Value shuffleFrom(mlir::Value value, mlir::Value from);

  /// Tells LLVM that there are `grid` blocks. Fails with an error where the chip cannot launch that.
  mlir::LogicalResult finish(int64_t grid);

private:
  int64_t reserveShared(int64_t bytes, int64_t alignment);
  mlir::Value sharedAt(int64_t offset);

  mlir::LLVM::GlobalOp shared;
  mlir::Value pointers; ///< where the pointers of buffers lie, if they lie in memory
  unsigned constants = 0;
  mlir::Operation *blockRegister = nullptr;
  int64_t usedShared = 0, mostShared = 0;
  llvm::SmallVector<int64_t, 2> warpOffsets; ///< offsets in shared memory
};

/// The emitters, one for each schedule. They give the number of blocks, or emit an error that names what they cannot
/// do.
mlir::FailureOr<int64_t> emitGPUContraction(GPUFunction &f, MmaScheduleAttr schedule);
mlir::FailureOr<int64_t> emitGPUMap(GPUFunction &f, MapScheduleAttr schedule);
mlir::FailureOr<int64_t> emitGPURow(GPUFunction &f, RowScheduleAttr schedule);
mlir::FailureOr<int64_t> emitGPUColumn(GPUFunction &f, ColumnScheduleAttr schedule);
mlir::FailureOr<int64_t> emitGPUPartial(GPUFunction &f, PartialScheduleAttr schedule);
mlir::FailureOr<int64_t> emitGPUSerial(GPUFunction &f, SerialScheduleAttr schedule);

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_GPUFUNCTION_H
