// One thread as a thread group, and as a block of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CPUTHREADGROUP_H
#define MP_LIB_CODEGEN_CPU_CPUTHREADGROUP_H

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/ThreadGroup.h"

namespace mp {

/// Sums have this many partial sums whatever the width of registers, so that their bits are the same on every machine.
inline constexpr int64_t kPartialSums = 16;

/// One thread. Lane l of kPartialSums takes the columns l, l + kPartialSums, ... after the first; then the lanes'
/// halves are combined until one is left, and the remaining columns are added in order.
class CPUThreadGroup : public ThreadGroup {
public:
  CPUThreadGroup(CPUFunction &f, int64_t vector) : f(f), vector(vector) { member = f.i64(0); }

  mlir::FailureOr<llvm::SmallVector<mlir::Value>> reduce(mlir::Value from, mlir::Value to, int64_t granule, bool isEven,
                                                         llvm::ArrayRef<Combination> combinations,
                                                         LanesAt get) override;
  llvm::SmallVector<mlir::Value> combine(llvm::ArrayRef<mlir::Value> own, Merge) override {
    return llvm::SmallVector<mlir::Value>(own);
  }
  mlir::LogicalResult forColumns(int64_t columns, bool isEven,
                                 llvm::function_ref<mlir::LogicalResult(mlir::Value, int64_t)> body) override;
  mlir::LogicalResult once(llvm::function_ref<mlir::LogicalResult()> body) override { return body(); }

private:
  CPUFunction &f;
  const int64_t vector;
};

class CPUThreadBlock : public ThreadBlock {
public:
  CPUThreadBlock(CPUFunction &f, int64_t vector) : f(f), vector(vector) {}

  mlir::Value allocate(mlir::Type element, int64_t elements) override { return f.allocate(element, elements); }
  std::unique_ptr<ThreadGroup> makeGroup(int64_t, int64_t) override {
    return std::make_unique<CPUThreadGroup>(f, vector);
  }
  mlir::LogicalResult forEach(ThreadGroup &, int64_t count,
                              llvm::function_ref<mlir::LogicalResult(mlir::Value, mlir::Value)> body) override;
  mlir::LogicalResult emitNest(const Nest &nest, NestBody &body) override;
  void synchronize() override {}

private:
  CPUFunction &f;
  const int64_t vector;
};

/// Elements [from, to) of a nest, `vector` at once where they walk evenly.
mlir::LogicalResult emitNestOnCPU(CPUFunction &f, const Nest &nest, NestBody &body, int64_t vector, mlir::Value from,
                                  mlir::Value to, bool isWhole);

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CPUTHREADGROUP_H
