// Where a thread finds its vectors of an operand whose elements a map gathers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_GATHER_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_GATHER_H

#include "Codegen/Emit/MappedOperand.h"
#include "Codegen/NVVM/Contraction/PixelTable.h"
#include "Codegen/NVVM/Contraction/StepTable.h"

namespace mp {

/// A step of k of the main loop.
struct StepOfK {
  mlir::Value number;  ///< i32, from the block's first
  mlir::Value k;       ///< its first, i64
  mlir::Value isThere; ///< whether the block has so many
  /// What copies have looked up of it.
  llvm::ArrayRef<mlir::Value> known;
};

/// A convolution's image, or its filters seen from the gradient. What does not depend on k is computed once for each
/// vector, before the loop: how far it is from the operand's first element, and where the operand has it. A step of k
/// adds a distance. With few taps, "where" is a bit for each: k is a tap and a row a pixel, or the other way round, and
/// the pixel has bits of all taps under which there is none, the tap its own. (CUTLASS calls this its optimized
/// iterator.) Else it is the index in each dimension with an edge, and a step compares. Numbers are i32 here. Where
/// steps are stretches of k under one tap, or few of them, or pixels, what they add is looked up, and each vector has
/// its address.
class Gather {
public:
  /// What a thread looks for in each step.
  struct Pattern {
    int64_t blockK;
    int64_t stages;         ///< steps that begin so far beyond the last are asked for, too
    int64_t rows;           ///< of the product
    int64_t depths;         ///< k, the first of which depends on the thread
    int64_t apart = 1;      ///< from one of these k to the next; 0 where that differs
    int64_t sharers = 1;    ///< lanes of a warp that look for the same k, and so divide the work
    int64_t distance = 1;   ///< from one of these lanes to the next, each in a group of distance * sharers lanes
    bool isCut = false;     ///< a block has a part of k
    bool isCrowded = false; ///< registers have no room for an address of each vector
    bool isShort = false;   ///< a step has few multiplications: each instruction counts
  };

  /// Whether vectors can be found so: no index is divided, an i32 counts all, and registers have room for what is known
  /// of each.
  static bool fits(const IndexMap &map, const Pattern &pattern);

  /// `first` is the first k of this thread in a step.
  Gather(GPUFunction &f, const MappedOperand &operand, const Pattern &pattern, mlir::Value first);

  /// Steps are counted from that k, before vectors are located.
  void startAt(mlir::Value firstK);
  /// What is known of a vector before the loop.
  struct Vector {
    mlir::Value offset;                      ///< of its element at k = 0 from the operand's first
    mlir::Value address;                     ///< of that element; null where steps are no values of their own
    int64_t nearest = 0;                     ///< k by which the address is further on
    mlir::Value taps;                        ///< bits of a pixel, or of a tap; null where nothing is asked
    llvm::SmallVector<mlir::Value, 2> edges; ///< its indices in dimensions with an edge, where there are many taps
  };
  /// The vector of that row of the product, of which the first element that is looked for is `nearest` k on. One that
  /// is not `isInside`, if that is not null, is nowhere.
  Vector locate(mlir::Value batch, mlir::Value row, mlir::Value isInside, int64_t nearest);

  /// Step `number` is looked up next. What that takes, as a division, begins here.
  void expect(mlir::Value number);
  /// What is looked up of that step, by those who have time until it begins; nothing where nothing is.
  llvm::SmallVector<mlir::Value> lookUp();
  /// A step begins, of which lookUp() may be known. One that is not there has no elements.
  void enter(const StepOfK &step);
  /// The element with which a vector begins, `further` k on: where it is, and whether, which is null where it always
  /// is.
  struct Place {
    mlir::Value from;   ///< an address
    mlir::Value offset; ///< of the element, an i32, or in bytes, an i64
    int64_t constant;   ///< the same, beside `offset`
    mlir::Value isThere;
  };
  Place find(const Vector &vector, int64_t further);

private:
  /// What a step adds, or one k of it.
  struct Step {
    mlir::Value offset, taps, isThere = {};
    llvm::SmallVector<mlir::Value, 2> edges = {};
    mlir::Value bytes = {}; ///< the same as `offset`, beside it, without a sign; null where there are none
    mlir::Value base = {};  ///< the same for all k of a step, beside `offset`, an i64; null where there is none
  };
  /// Which number's digits are taps that have bits.
  enum class Taps { None, OfDepth, OfRow };

  static bool hasFewTaps(const IndexMap &map, llvm::ArrayRef<IndexMap::Digit> digits);
  static Taps tapsOf(const IndexMap &map, const Pattern &pattern);
  static bool hasPixelTable(const IndexMap &map, const Pattern &pattern);
  static bool staysUnderTap(const IndexMap &map, int64_t blockK);
  mlir::Value i32(int64_t value) { return intConstant(f.b, f.b.getI32Type(), value); }
  mlir::Value origin() { return f.input(llvm::cast<mlir::BlockArgument>(operand.tensor).getArgNumber()); }
  mlir::Type elementType() const {
    return llvm::cast<mlir::RankedTensorType>(operand.tensor.getType()).getElementType();
  }
  int64_t elementBytes() const { return memoryBytes(elementType()); }
  mlir::Value wide(mlir::Value value) { return f.b.createOrFold<mlir::arith::ExtUIOp>(f.b.getI64Type(), value); }
  mlir::Value signedWide(mlir::Value value) { return f.b.createOrFold<mlir::arith::ExtSIOp>(f.b.getI64Type(), value); }
  mlir::Value narrow(mlir::Value value) { return f.b.createOrFold<mlir::arith::TruncIOp>(f.b.getI32Type(), value); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return f.b.createOrFold<mlir::arith::AddIOp>(x, y); }
  mlir::Value times(mlir::Value x, int64_t y) { return f.b.createOrFold<mlir::arith::MulIOp>(x, i32(y)); }
  /// Both conditions, the first of which may be null.
  mlir::Value both(mlir::Value x, mlir::Value y) { return x ? f.b.createOrFold<mlir::arith::AndIOp>(x, y) : y; }
  mlir::Value isBelow(mlir::Value index, int64_t bound);
  mlir::Value bitOf(const IndexMap::Digit &digit, mlir::Value value);
  mlir::Value tapsOutside(llvm::ArrayRef<mlir::Value> indices);
  uint32_t tapsOutside(llvm::ArrayRef<int64_t> moved) const;
  mlir::Value spanInside(const IndexMap::Digit &digit, mlir::Value index);
  mlir::Value tapOfRow(mlir::Value row);
  Step stepOf(mlir::Value number);
  bool isLookedUp() const;
  void makeTable();
  int64_t countLookedUp() const { return isSteady ? 1 : pattern.depths; }
  Step stepInTable(int64_t further);
  Step stepOfPixel(int64_t further);
  void leaveOut(Step &step);
  int64_t firstBit(unsigned dimension) const;
  Step sharedStep(int64_t index);
  const Step &stepAt(int64_t further);

  GPUFunction &f;
  MappedOperand operand;
  llvm::SmallVector<int64_t, 4> strides;    ///< of the operand's dimensions, in elements
  llvm::SmallVector<unsigned, 2> uncertain; ///< dimensions with an edge
  Pattern pattern;
  Taps taps;
  llvm::ArrayRef<IndexMap::Digit> tapDigits; ///< of the number whose digits are taps
  bool isSteady;                             ///< a step stays under one tap
  bool isWhole;                              ///< no step reaches beyond the last k
  int64_t mostK;                             ///< that a step asks for, of those beyond the last, too
  bool isShared;                             ///< what is found out about k
  int64_t stretch;                           ///< of k under one tap that steps are made of
  std::optional<StepTable> table;
  std::optional<PixelTable> pixels;
  mlir::Value firstK; ///< of the block's first step, i32
  mlir::Value first, number, k, isThere;
  llvm::SmallVector<mlir::Value> known;
  mlir::Value expected;
  mlir::Value sharer, sharers; ///< this lane's number among those that share, and the first of them, i32
  llvm::SmallVector<Step, 2> own;
  llvm::SmallVector<std::pair<int64_t, Step>, 4> steps; ///< of this k, by how far they are on
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_GATHER_H
