// The function that an emitter fills.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions of all targets have in common. CPU/CPUFunction.h and NVVM/GPUFunction.h say how they are called and
// what a block has for itself.

#ifndef MP_LIB_CODEGEN_EMIT_KERNELFUNCTION_H
#define MP_LIB_CODEGEN_EMIT_KERNELFUNCTION_H

#include "Codegen/Elements/Elements.h"
#include "mp/IR/MP.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mp {

/// A function in a module of its own, with its buffers at hand: the kernel's inputs in order, then its results.
class KernelFunction {
public:
  virtual ~KernelFunction() = default;

  KernelOp kernel;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  LaneBuilder b; ///< inserts before the function's return
  mlir::Value block;

  mlir::Block &body() { return kernel.getBody().front(); }
  mlir::ValueRange yields() { return body().getTerminator()->getOperands(); }
  mlir::Value input(unsigned index) { return inputs[index]; }
  mlir::Value result(unsigned index) { return results[index]; }
  /// Elements of this function's buffers.
  virtual Elements makeElements() { return Elements(b); }
  /// `elements` with every block argument bound to its buffer.
  void bindInputs(Elements &elements);

  /// Stores results of the kernel, by their numbers, at each of `lanes`. Everything is read before anything is written,
  /// since a result may lie where an operand lies; `onRead` runs between the two.
  llvm::LogicalResult storeResults(Elements &elements, llvm::ArrayRef<unsigned> numbers, llvm::ArrayRef<Lanes> lanes,
                                   llvm::function_ref<llvm::LogicalResult()> onRead = {});
  /// What is to be stored of a result, by its number.
  struct ComputedResult {
    unsigned number;
    Lanes here;
    mlir::Value value;
  };
  /// The first half of storeResults: what is to be stored, with all that it takes read.
  mlir::FailureOr<llvm::SmallVector<ComputedResult>>
  computeResults(Elements &elements, llvm::ArrayRef<unsigned> numbers, llvm::ArrayRef<Lanes> lanes);
  /// The second half.
  void storeComputed(Elements &elements, llvm::ArrayRef<ComputedResult> computed);

  mlir::Value i64(int64_t value) { return intConstant(b, b.getI64Type(), value); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::AddIOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::SubIOp>(x, y); }
  mlir::Value mul(mlir::Value x, int64_t y) { return b.createOrFold<mlir::arith::MulIOp>(x, i64(y)); }
  mlir::Value div(mlir::Value x, int64_t y) { return b.createOrFold<mlir::arith::DivUIOp>(x, i64(y)); }
  mlir::Value rem(mlir::Value x, int64_t y) { return b.createOrFold<mlir::arith::RemUIOp>(x, i64(y)); }
  mlir::Value min(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MinSIOp>(x, y); }
  mlir::Value max(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MaxSIOp>(x, y); }
  mlir::Value isBelow(mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::slt, x, y);
  }
  /// `pointer` moved by `index` elements of `type`.
  mlir::Value offset(mlir::Value pointer, mlir::Type type, mlir::Value index);
  mlir::Value offset(mlir::Value pointer, mlir::Type type, int64_t index) { return offset(pointer, type, i64(index)); }

  /// for (i = from; i < to; i += step) body(i)
  llvm::LogicalResult forEach(mlir::Value from, mlir::Value to, int64_t step,
                              llvm::function_ref<llvm::LogicalResult(mlir::Value)> body);
  /// The same, carrying values: `body` gets them and gives the next ones. `staysRolled` keeps every compiler on the way
  /// from unrolling it.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  forEach(mlir::Value from, mlir::Value to, int64_t step, mlir::ValueRange init,
          llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::Value, mlir::ValueRange)> body,
          bool staysRolled = false);
  /// body(column, width) over [from, to): `width` lanes at once, then the rest one by one, which is left out where the
  /// caller knows that none remains.
  llvm::LogicalResult forLanes(mlir::Value from, mlir::Value to, int64_t width, bool hasRest,
                               llvm::function_ref<llvm::LogicalResult(mlir::Value, int64_t)> body);
  /// if (condition) then()
  llvm::LogicalResult when(mlir::Value condition, llvm::function_ref<llvm::LogicalResult()> then);
  /// if (condition) then() else otherwise()
  llvm::LogicalResult either(mlir::Value condition, llvm::function_ref<llvm::LogicalResult()> then,
                             llvm::function_ref<llvm::LogicalResult()> otherwise);
  /// condition ? then() : otherwise
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  when(mlir::Value condition, mlir::ValueRange otherwise,
       llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>()> then);

  /// emit(), which gives the number of blocks, inside of a test where the kernel has a guard: on a skipped step blocks
  /// return before they read anything else. Inside, the guard is known to be less than 0.
  mlir::FailureOr<int64_t> unlessSkipped(llvm::function_ref<mlir::FailureOr<int64_t>()> emit);
  /// The same in two parts: the guard, null where the kernel has none, and what comes after the test of it.
  mlir::Value readGuard();
  llvm::LogicalResult unlessSkipped(mlir::Value guard, llvm::function_ref<llvm::LogicalResult()> emit);

  /// body(block - first) in blocks [first, first + count): all that the grid has, where `isAll`, so that none is
  /// tested.
  llvm::LogicalResult forBlocks(int64_t first, int64_t count, bool isAll,
                                llvm::function_ref<llvm::LogicalResult(mlir::Value)> body);

protected:
  explicit KernelFunction(KernelOp kernel);

  llvm::SmallVector<mlir::Value> inputs, results;

private:
  bool isUnskipped = false; ///< what is emitted now runs only where the guard is less than 0
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_KERNELFUNCTION_H
