// The threads that compute one result together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row ops, partial results and serial kernels are written once, in terms of a thread group: one thread on a CPU, some
// lanes of a warp or a whole block on a GPU.

#ifndef MP_LIB_CODEGEN_EMIT_THREADGROUP_H
#define MP_LIB_CODEGEN_EMIT_THREADGROUP_H

#include "Codegen/Emit/KernelFunction.h"
#include "Codegen/Emit/Nests.h"

#include <functional>

namespace mp {

/// A commutative operation over lanes and the value that changes nothing.
struct Combination {
  mlir::Value identity; ///< one lane
  std::function<mlir::Value(mlir::Value, mlir::Value)> combine;
};

/// Lanes of something at a column, `width` of them from there; one value for each combination.
using LanesAt = llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::Value column, int64_t width)>;

/// Every thread of a thread group runs the same code. What the thread group gives back all its threads have, but for
/// what `once` and `forColumns` do.
class ThreadGroup {
public:
  virtual ~ThreadGroup() = default;

  /// The number of this thread in its thread group, i64, and how many there are.
  mlir::Value member;
  int64_t members = 1;

  /// Combines get(column, width) over columns [from, to), each value by its own combination, in an order that the
  /// bounds and the thread group fix. `granule` divides from, to and the columns of what is read; with `isEven` false
  /// each column is asked for alone.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>> reduce(mlir::Value from, mlir::Value to, int64_t granule,
                                                                 bool isEven, llvm::ArrayRef<Combination> combinations,
                                                                 LanesAt get) = 0;
  /// Combines what the threads have. `merge` gives the same for its arguments in either order.
  using Merge =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<mlir::Value>, llvm::ArrayRef<mlir::Value>)>;
  virtual llvm::SmallVector<mlir::Value> combine(llvm::ArrayRef<mlir::Value> own, Merge merge) = 0;
  /// body(column, width) for each of `columns` columns, by one thread each.
  virtual mlir::LogicalResult
  forColumns(int64_t columns, bool isEven,
             llvm::function_ref<mlir::LogicalResult(mlir::Value column, int64_t width)> body) = 0;
  /// body() by one thread.
  virtual mlir::LogicalResult once(llvm::function_ref<mlir::LogicalResult()> body) = 0;
};

/// How a block divides the results of one op among its threads, and what it has for itself.
class ThreadBlock {
public:
  virtual ~ThreadBlock() = default;

  /// Memory of the block for `elements` values of `element` in memory.
  virtual mlir::Value allocate(mlir::Type element, int64_t elements) = 0;
  /// A thread group for each of `results` results, each combined of `terms` elements.
  virtual std::unique_ptr<ThreadGroup> makeGroup(int64_t results, int64_t terms) = 0;
  /// body(number) for each of `count` numbers, by a thread group of that kind each. Where `isValid` is not null the
  /// number was another group's, and nothing may be written unless it is true.
  virtual mlir::LogicalResult
  forEach(ThreadGroup &group, int64_t count,
          llvm::function_ref<mlir::LogicalResult(mlir::Value number, mlir::Value isValid)> body) = 0;
  /// The number of the first of `flags`, tensors of i32, with an element that is not 0; -1 if there is none. Null where
  /// the block has no better way than one tensor after another.
  virtual mlir::Value findFirstSet(mlir::ValueRange flags) { return {}; }
  /// `values` are read from here on; a block may bind the inputs that they are made of anew.
  virtual void bindInputsOf(Elements &elements, mlir::ValueRange values) {}
  /// All elements of a nest.
  virtual mlir::LogicalResult emitNest(const Nest &nest, NestBody &body) = 0;
  /// What any thread wrote all threads see.
  virtual void synchronize() = 0;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_THREADGROUP_H
