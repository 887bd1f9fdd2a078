// An operand's way from memory to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_OPERANDCOPY_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_OPERANDCOPY_H

#include "Codegen/Emit/MappedOperand.h"
#include "Codegen/Emit/Product.h"
#include "Codegen/NVVM/Contraction/Gather.h"
#include "Codegen/NVVM/Contraction/TileAddress.h"

namespace mp {

/// One operand as a product sees it, rows of `columns` elements in the direction of memory, `rows` for each batch, and
/// the tile of it that a block needs for one step of k.
struct OperandView {
  mlir::Value tensor;
  IndexMap map;
  mlir::Type element; ///< of `tensor`
  int64_t rows, columns;
  bool isKMajor; ///< k is the dimension of the columns
  bool isCut;    ///< a block has a part of k
  int64_t stages;
  int64_t blockRows, blockColumns;
  bool isCrowded = false; ///< registers have no room for an address of each vector
  bool isShort = false;   ///< a step has few multiplications: each instruction counts

  static OperandView of(const Product &product, bool isLhs, MmaScheduleAttr schedule);
};

/// Whether registers have no room for the fragments of two k and an address of each vector, where both operands come by
/// cp.async.
bool isCrowded(const MatrixTiles &tiles, const Chip &chip);

/// Copies tiles of an operand into stages of shared memory, with zeros beyond its edges. All threads of the block take
/// part; each moves the same vectors of every step.
class OperandCopy {
public:
  virtual ~OperandCopy() = default;

  virtual bool isAsync() const = 0;
  /// Where the block is: the batch, its first element of the dimension that is not k, and its first k.
  virtual void locate(mlir::Value batch, mlir::Value first, mlir::Value firstK);
  /// The types of what start() gives.
  virtual llvm::SmallVector<mlir::Type> startedTypes() const = 0;
  /// Whether there is no branch around the copy, so that finding out where vectors lie runs beside the multiplications:
  /// of a step that is not there zeros are copied, on which somebody has to wait in the end.
  virtual bool copiesAlways() const { return gather.has_value(); }
  /// What start() looks up of step `number`, for who has time to do it before: it is what the step knows then.
  void expect(mlir::Value number) {
    if (gather)
      gather->expect(number);
  }
  llvm::SmallVector<mlir::Value> lookUp() { return gather ? gather->lookUp() : llvm::SmallVector<mlir::Value>(); }
  /// Starts the copy of the tile of a step to `stage`; gives what finish() needs. The step is there, or may not be,
  /// which it says to what copies always.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>> start(mlir::Value stage, const StepOfK &step) = 0;
  /// `k` is the step's.
  virtual void finish(mlir::Value stage, mlir::Value k, mlir::ValueRange started) = 0;

protected:
  /// `width` elements of a row at once; `readsMemory` if they are those of the tensor as it lies. `run` of them lie
  /// together; fewer than all only where isGathered() is known to become true.
  OperandCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile, int64_t width, int64_t run,
              bool readsMemory);
  /// What a thread would gather, vectors of `width` elements in runs of `run`.
  static Gather::Pattern patternOf(GPUFunction &f, const OperandView &view, int64_t width, int64_t run);

  /// Vector `index` of this thread: a row and a column of the tile, as what depends on the thread and what does not.
  struct Position {
    int64_t rowStep, columnStep;
  };
  Position positionOf(int64_t index) const;
  int64_t count() const { return vectors; }
  /// Whether the vector is inside of the operand and of the tile; null where that is certain. Of a tile from `k`.
  mlir::Value isInside(const Position &position, mlir::Value k);
  /// Whether each row, or column, that a thread asks for is there. One with nothing to move is in rows behind the tile.
  bool isRowSure() const { return isRowCertain && !busy; }
  bool isColumnSure() const { return isColumnCertain; }
  /// Whether this thread has a vector to move; null where all have.
  mlir::Value isBusy() const { return busy; }
  /// Where a vector of the tile from `k` begins: its row and column among the view's, k included.
  std::pair<mlir::Value, mlir::Value> startOf(const Position &position, mlir::Value k);
  /// Where memory has what begins at a row and column of the view.
  MappedOperand::Element findElement(mlir::Value viewRow, mlir::Value viewColumn);
  /// Where the runs of the vectors of the tile from `k` lie, of a gathered operand.
  llvm::SmallVector<Gather::Place> find(const StepOfK &step);
  mlir::Value addressOf(const Gather::Place &place);
  int64_t runsOfVector() const { return width / run; }
  bool isGathered() const { return gather.has_value(); }
  /// Both conditions, either of which may be null.
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return x && y ? f.b.createOrFold<mlir::arith::AndIOp>(x, y) : x ? x : y;
  }

  GPUFunction &f;
  OperandView view;
  MappedOperand operand;
  SharedTile tile;
  TileAddress address;
  const int64_t width, run;
  mlir::Value row, column; ///< of this thread's first vector in a tile
  mlir::Value batch;
  mlir::Value batchRow, firstRow, firstColumn; ///< of the tile at k = 0; the row of the batch apart

private:
  mlir::Value isBelow(mlir::Value index, int64_t bound, bool isCertain);
  /// Its index of the dimension that is not k, and of the view's dimension of k in a tile from `k`.
  mlir::Value outerOf(const Position &position, int64_t further = 0);
  mlir::Value depthOf(const Position &position, mlir::Value k);
  mlir::Value isOuterInside(const Position &position, int64_t further = 0);
  mlir::Value isDepthInside(const Position &position, mlir::Value k);

  int64_t vectorsOfRow, vectors;
  bool isRowCertain, isColumnCertain;
  mlir::Value busy;
  std::optional<Gather> gather;
  llvm::SmallVector<Gather::Vector> gathered; ///< of each vector, of each of its runs where they are rows
};

/// By cp.async, 16 or 8 bytes at once, from rows that are aligned to that.
std::unique_ptr<OperandCopy> makeAsyncCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile);
/// Through registers: maps in front of the operand are computed, rows may start anywhere. `values` outlives it.
std::unique_ptr<OperandCopy> makeStagedCopy(GPUFunction &f, Elements &values, const OperandView &view,
                                            const SharedTile &tile, mlir::Type shared);
/// The best of these that the operand allows; a remark tells where it is not the first.
std::unique_ptr<OperandCopy> makeOperandCopy(GPUFunction &f, Elements &values, const Product &product, bool isLhs,
                                             const MatrixTiles &tiles);

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_OPERANDCOPY_H
