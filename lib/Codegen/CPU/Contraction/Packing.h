// Operands of a product, packed for its register tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_PACKING_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_PACKING_H

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/CPU/Contraction/Words.h"
#include "Codegen/Emit/MappedOperand.h"

namespace mp {

/// How an operand lies packed: panels of `rows` rows over `depth` of k, zeros where a panel reaches beyond the operand.
/// `unit` neighbours in k are one word; a panel's words are
///   isDepthInner   [rows][depth / unit]
///   otherwise      [depth / unit][rows]
/// With several parts of each element, [depth / granule][parts][granule / unit] stands for [depth / unit].
struct PanelOrder {
  PanelOrder(mlir::Type word, PanelsAttr panels)
      : word(word), unit(panels.getUnit()), rows(panels.getRows()), isDepthInner(panels.getDepthInner()),
        depth(panels.getDepth()), parts(panels.getParts()), granule(parts == 1 ? unit : kDepthOfParts) {}

  mlir::Type word; ///< an element as it is multiplied, or an integer that holds a unit of them
  int64_t unit;
  int64_t rows;
  bool isDepthInner;
  int64_t depth;   ///< a multiple of `granule`
  int64_t parts;   ///< of each element
  int64_t granule; ///< of k: tiles take so many at once, and what is beyond the last is 0

  int64_t wordsOfPanel() const { return rows * wordsOfRow(); }
  int64_t wordsOfRow() const { return depth / unit * parts; }
  /// How far the words of one part are from those of the next.
  int64_t wordsOfPart() const { return granule / unit * (isDepthInner ? 1 : rows); }
};

/// Packs an operand, computing what is in front of it, in the order that a tile reads.
class Packing {
public:
  /// Of `rows` rows and `depth` of k in a batch. `vector` lanes, a register, move at once where they lie side by side.
  Packing(CPUFunction &f, Elements &values, mlir::Value tensor, const IndexMap &map, int64_t rows, int64_t depth,
          const PanelOrder &order, int64_t vector);

  /// What is packed: `count` rows from `first`, k in [from, to).
  struct Part {
    mlir::Value batch, first, count, from, to;
  };
  llvm::LogicalResult emit(mlir::Value target, const Part &wanted);
  /// Whole vectors of words pass the caches, where panels are whole lines of memory.
  void storePastCaches() { isPastCaches = true; }
  /// The words of one unit of k, from `k`, of `count` rows from `row` of a batch, which there must be; of one part.
  mlir::FailureOr<mlir::Value> wordsAt(mlir::Value batch, mlir::Value row, mlir::Value k, int64_t count);
  /// Writes zeros to words [from, to) of `pointer`.
  void fillZeros(mlir::Value pointer, mlir::Value from, mlir::Value to);

private:
  using MaybeValue = mlir::FailureOr<mlir::Value>;
  using MaybeWords = mlir::FailureOr<Words>;

  llvm::LogicalResult copyRows();
  bool areRowsOne() const;
  llvm::LogicalResult copyOneRow();
  llvm::LogicalResult copySteps();
  llvm::LogicalResult turnSquares();
  llvm::LogicalResult turnSteps();
  // Ways for what is no matrix, in Gathering.cpp.
  llvm::LogicalResult gatherRows();
  llvm::LogicalResult gatherColumns();
  using Sums = MappedOperand::Sums;
  using Step = llvm::function_ref<llvm::LogicalResult(mlir::Value offset, int64_t lanes)>;
  /// body(offset, lanes) over `count` neighbours, `widest` of them at once and fewer at the end.
  llvm::LogicalResult forNeighbours(int64_t count, int64_t widest, Step body);
  /// Lanes of k of a row that are moved at once, `count` of them lying together.
  int64_t lanesOfStretch(int64_t count) const;
  /// Whether `count` neighbours from `line` are all there; null where that is certain.
  mlir::Value isWhole(const MappedOperand::Element &line, int64_t count);
  /// Packs `count` of k of a row, which lie side by side as far as they are there.
  llvm::LogicalResult gatherStretch(const Sums &sums, mlir::Value row, mlir::Value k, int64_t count);
  /// Packs `count` rows of one panel, which lie side by side as far as they are there, from `row`.
  llvm::LogicalResult gatherPiece(mlir::Value row, int64_t count);
  /// Packs units of k in [from, to) of a run that begins at `start`, whose elements are `step` further along `line`
  /// with each k: whole(k) where `count` neighbours of all of a unit are there, some(k) where they may be, none(k)
  /// where none is.
  llvm::LogicalResult gatherLine(const MappedOperand::Element &line, int64_t step, mlir::Value from, mlir::Value to,
                                 mlir::Value start, int64_t count,
                                 llvm::function_ref<llvm::LogicalResult(mlir::Value)> whole,
                                 llvm::function_ref<llvm::LogicalResult(mlir::Value)> some,
                                 llvm::function_ref<llvm::LogicalResult(mlir::Value)> none);
  llvm::LogicalResult copyUnit(llvm::ArrayRef<Sums> steps, int64_t count, mlir::Value target);
  llvm::LogicalResult clearUnit(int64_t count, mlir::Value target);
  /// Packs one unit of k of them. Of each of its steps there are the sums.
  llvm::LogicalResult gatherUnit(llvm::ArrayRef<Sums> steps, mlir::Value k, int64_t count, mlir::Value target);
  llvm::LogicalResult gatherSomeOfUnit(llvm::ArrayRef<Sums> steps, mlir::Value k, int64_t count, mlir::Value target);
  /// What a unit of k moves: each of its steps.
  llvm::SmallVector<Sums, 2> stepsOf(mlir::Value k);
  /// Words of the steps of a unit.
  Words wordsOf(llvm::ArrayRef<mlir::Value> steps);
  MaybeValue readLine(const MappedOperand::Element &line, mlir::Value offset, int64_t count);

  /// Writes zeros behind the last k of a row that ends within a unit.
  void fillUnit(mlir::Value row);
  /// Writes elements of k of a row, which are neighbours.
  void storeAlongDepth(mlir::Value loaded, mlir::Value row, mlir::Value k);
  /// Writes zeros behind a k that ends within a granule.
  void fillGranule();
  /// Writes zeros to rows of k behind the last one, up to the end of its panel.
  void fillRows();
  /// body(k, count) over all k, so many at once, then unit by unit.
  llvm::LogicalResult forDepth(int64_t count, llvm::function_ref<llvm::LogicalResult(mlir::Value, int64_t)> body);
  /// Packs single words of the last panel, which ends early, and zeros behind them.
  llvm::LogicalResult packEnd(mlir::Value k, mlir::Value whole);

  /// `count` elements from (row, k), along memory.
  MaybeValue read(mlir::Value row, mlir::Value k, int64_t count);
  /// The same of what may lie beyond the last k, where it is 0.
  MaybeValue readNext(mlir::Value row, mlir::Value k, int64_t count);
  /// Words of `count` k of a row, and words of one unit of `count` rows.
  MaybeWords readAlongDepth(mlir::Value row, mlir::Value k, int64_t count);
  /// `count` elements along k as words.
  Words wordsAlongDepth(mlir::Value loaded, int64_t count);
  MaybeWords readAlongRows(mlir::Value row, mlir::Value k, int64_t count);
  llvm::SmallVector<Words> turned(llvm::ArrayRef<Words> square);
  llvm::SmallVector<Words> lanesOf(const Words &words, int64_t count);
  /// How many words of a row of k are before those of `k`.
  mlir::Value stepOf(mlir::Value k);
  mlir::Value panelAt(mlir::Value row, mlir::Value k);
  mlir::Value rowAt(mlir::Value row, mlir::Value k);
  void store(llvm::ArrayRef<mlir::Value> words, mlir::Value pointer);
  mlir::Value firstRow(mlir::Value row) { return f.add(part.first, row); }

  CPUFunction &f;
  LaneBuilder &b;
  Elements &values;
  MappedOperand operand;
  const int64_t rows, depth;
  const PanelOrder order;
  const int64_t vector;
  bool isEven, isPastCaches = false;
  int64_t lanes;
  Part part;
  mlir::Value target;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_PACKING_H
