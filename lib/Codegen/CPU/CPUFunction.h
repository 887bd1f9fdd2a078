// A kernel as a function of a CPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CPUFUNCTION_H
#define MP_LIB_CODEGEN_CPU_CPUFUNCTION_H

#include "Codegen/Emit/KernelFunction.h"
#include "mp/Hardware/CPULevels.h"

namespace mp {

/// Results of so many bytes are stored past the caches: the third level has 32 MiB, or less for each core, and what is
/// read is there, too.
inline constexpr int64_t kLeastPastCaches = 16 << 20;

/// `void symbol(void **buffers, int64_t block)`: the buffers, then scratch memory that belongs to the running block
/// alone.
class CPUFunction : public KernelFunction {
public:
  CPUFunction(KernelOp kernel, llvm::StringRef symbol, const CPULevel &target);

  const CPULevel &target;
  int64_t scratchBytes = 0;

  /// Has what was stored past the caches seen by whoever waits for the block.
  void finishStoresPastCaches();

  /// Sets `bytes` of scratch memory aside, aligned to 64, and gives their address.
  mlir::Value allocate(int64_t bytes);
  /// The same for `elements` values of `element` in memory.
  mlir::Value allocate(mlir::Type element, int64_t elements);

private:
  mlir::Value entryPointer(unsigned index);

  mlir::Value buffers, scratch;
};

/// The emitters, one for each schedule. They give the number of blocks, or emit an error that names what they cannot
/// do.
mlir::FailureOr<int64_t> emitContraction(CPUFunction &f, ContractionScheduleAttr schedule);
mlir::FailureOr<int64_t> emitAttention(CPUFunction &f, AttentionScheduleAttr schedule);
mlir::FailureOr<int64_t> emitPack(CPUFunction &f, PackScheduleAttr schedule);
mlir::FailureOr<int64_t> emitMap(CPUFunction &f, MapScheduleAttr schedule);
mlir::FailureOr<int64_t> emitRow(CPUFunction &f, RowScheduleAttr schedule);
mlir::FailureOr<int64_t> emitColumn(CPUFunction &f, ColumnScheduleAttr schedule);
mlir::FailureOr<int64_t> emitPartial(CPUFunction &f, PartialScheduleAttr schedule);
mlir::FailureOr<int64_t> emitSerial(CPUFunction &f, SerialScheduleAttr schedule);

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CPUFUNCTION_H
