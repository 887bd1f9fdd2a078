// The matrix product of a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What emitters of all targets ask of a contraction: its sizes, and what happens to its finished sums.

#ifndef MP_LIB_CODEGEN_EMIT_PRODUCT_H
#define MP_LIB_CODEGEN_EMIT_PRODUCT_H

#include "Codegen/Emit/KernelFunction.h"
#include "mp/IR/MP.h"

#include <functional>

namespace mp {

/// The product of a kernel.
struct Product : Contraction {
  mlir::Operation *op = nullptr;
  mlir::Value lhs, rhs, bias, result; ///< bias may be null

  /// The product of a class of rows alone.
  Product of(const Class &rows) const;
  /// The transpose of a product without classes, whose rows are columns of the result.
  Product transposed() const;
};

/// The product of a kernel. Emits an error where there is none, or a second one.
mlir::FailureOr<Product> findProduct(KernelFunction &f);

/// What follows the sums: bias, rounding, the maps after the product, and stores.
class ProductEpilogue {
public:
  /// An op that reduces what it reads over tiles of the product, and the results of the kernel that are its own.
  struct ReducedTile {
    mlir::Operation *op;
    llvm::SmallVector<unsigned, 2> results;
  };

  using Computed = llvm::SmallVector<KernelFunction::ComputedResult>;
  using OnTile = llvm::function_ref<void(size_t tileOp, mlir::Value value)>;

  /// `values` has the inputs bound. Emits nothing yet.
  ProductEpilogue(KernelFunction &f, Elements &values, const Product &product);

  /// Builds what is needed once. Emits an error if a result is of another size than the product, or of tiles that the
  /// caller does not have.
  llvm::LogicalResult prepare();
  llvm::ArrayRef<ReducedTile> tileOps() const { return tiles; }
  /// Sums are rounded to the result's type by `own`, not by roundTo: the same, by what is known of them.
  void roundSumsBy(std::function<mlir::Value(mlir::Value)> own) { roundSums = std::move(own); }
  /// What `emit` gets is what `finishSums` made of sums.
  void takeFinishedSums() { areSumsFinished = true; }
  /// Adds the bias to the sums of `lanes` neighbours from `column` and rounds them to the result's type, in registers.
  mlir::FailureOr<mlir::Value> finishSums(mlir::Value column, mlir::Value sums, int64_t lanes);
  /// Has `value`, of the product's shape, stored at `pointer`; results by these numbers, which are made of it there,
  /// are left to the caller.
  void keep(mlir::Value value, mlir::Value pointer, llvm::ArrayRef<unsigned> ofOthers);
  /// Has `onTile` get `value`, of the product's shape, too, as that of an op behind the last; results by these numbers,
  /// which are made of it, are left to the caller.
  void handOver(mlir::Value value, llvm::ArrayRef<unsigned> ofOthers) { keep(value, mlir::Value(), ofOthers); }
  /// The fewest bits of an element that is stored.
  unsigned leastBits() const;
  /// Whether several neighbours of a row can be finished at once.
  bool isEven() const { return even; }
  /// Whether sums in f32, rounded, are all that is stored.
  bool isPlain() const;
  // Where the result has the first row and column of `outer`, a part and batch.
  mlir::Value firstRowOf(mlir::Value outer) { return product.sharesRows ? values.zero : f.mul(outer, product.m); }
  mlir::Value firstColumnOf(mlir::Value outer) { return product.sharesRows ? f.mul(outer, product.n) : values.zero; }
  /// What is read of memory beside the sums, an element for each of the result's: pointers and types in memory.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Type>> addends() const;
  /// Finishes `lanes` neighbours from `column` of row `row` of the result. `onTile` gets what
  /// each of the tile ops reads there, in registers.
  llvm::LogicalResult emit(mlir::Value row, mlir::Value column, mlir::Value sums, int64_t lanes, OnTile onTile = {});
  /// The same in two steps, so that neighbours elsewhere can be computed between them: what is to be stored, and that.
  mlir::FailureOr<Computed> compute(mlir::Value row, mlir::Value column, mlir::Value sums, int64_t lanes,
                                    OnTile onTile = {});
  void store(llvm::ArrayRef<KernelFunction::ComputedResult> computed) {
    Elements::Scope scope(values);
    f.storeComputed(values, computed);
  }
  /// Stores the first `count` of the lanes that `sums` has, where the epilogue is plain.
  void storeFirst(mlir::Value row, mlir::Value column, mlir::Value sums, int64_t count);

private:
  /// Sums as the result has them.
  mlir::Value rounded(mlir::Value sums);
  /// What is computed of each sum.
  llvm::SmallVector<mlir::Value> wanted() const;
  bool isEvenNow();

  KernelFunction &f;
  Elements &values;
  const Product &product;
  llvm::SmallVector<unsigned> stored; ///< results by number
  llvm::SmallVector<ReducedTile> tiles;
  mlir::Value kept, keptAt; ///< beside results; may be null
  const int64_t columns;    ///< of a row of the result
  bool even, areSumsFinished = false;
  std::function<mlir::Value(mlir::Value)> roundSums;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_PRODUCT_H
