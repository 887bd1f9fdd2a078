// What pixels add to where vectors lie, as constants in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_PIXELTABLE_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_PIXELTABLE_H

#include "Codegen/NVVM/GPUFunction.h"
#include "mp/IR/IndexMap.h"

namespace mp {

/// number / divisor, both i32, of a number that is `most` at most. By a multiplication, if its product is an i32: what
/// LLVM makes of a division of so few is one of 16 bits, each operand of which ptxas cuts out of a register first.
mlir::Value quotient(GPUFunction &f, mlir::Value number, int64_t divisor, int64_t most);

/// Numbers of k whose digits are pixels repeat with each image: the table has those of one, and so many more that a
/// step which begins in it stays in it. Of each it has how far its element is from that of the first, unless that is a
/// multiple of k, and bits. Taps of filters, seen from the gradient of an image, are such digits, too. A thread reads
/// an entry where it would divide k, a step ahead, so that it does not wait.
class PixelTable {
public:
  /// Whether k has images to repeat, each of so few that a table of them and a step of `blockK` is worth its memory.
  static bool fits(const IndexMap &map, int64_t blockK);

  struct Steps {
    int64_t blockK;
    int64_t mostK;        ///< that is asked for, of those beyond the last, too
    int64_t elementBytes; ///< 0 where offsets may not be bytes
    int64_t count, apart; ///< k of a thread in each step, from one to the next
  };
  /// `bitsOf` gives the bits of an element whose digits of k move each dimension so far; null if nobody asks for bits.
  /// `strides` are those of the operand's dimensions.
  using BitsOf = llvm::function_ref<uint32_t(llvm::ArrayRef<int64_t> moved)>;
  PixelTable(GPUFunction &f, const IndexMap &map, llvm::ArrayRef<int64_t> strides, const Steps &steps, BitsOf bitsOf);

  /// How far each k is from the one before, in elements, where that is always the same.
  std::optional<int64_t> getEven() const { return even; }
  bool hasBits() const { return bits; }
  /// Whether offsets are bytes, without a sign, which are added to an address at once.
  bool isInBytes() const { return inBytes; }

  /// The first of this thread's k in each step; the last is below blockK.
  void locate(mlir::Value first);
  /// The step that begins at `k`, i32, is read next, so that what is divided is divided by then.
  void expect(mlir::Value k);
  /// What the table has of that step: values for find().
  llvm::SmallVector<mlir::Value> read();
  /// Of the values that read() gave: what the whole step adds, an i32, null where that is nothing or even, and of its
  /// k of that index the rest, offset or bytes, null likewise, and bits, null where there are none.
  struct Entry {
    mlir::Value ofStep, offset, bytes, bits;
  };
  Entry find(mlir::ValueRange values, int64_t index);

private:
  int64_t ofEntry() const { return bits && !even ? 2 : 1; } ///< i32, of an entry
  int64_t entryBytes() const { return 4 * ofEntry(); }
  mlir::Value i32(int64_t value) { return intConstant(f.b, f.b.getI32Type(), value); }

  GPUFunction &f;
  const Steps steps;
  int64_t period;   ///< k of one image
  int64_t distance; ///< from an image to the next, in elements
  std::optional<int64_t> even;
  bool bits, inBytes = false;
  int64_t together = 1;     ///< entries of a thread that lie side by side
  bool areWhole = false;    ///< they do step by step, of which an image is made; else the table has each several times
  mlir::Value table, own;   ///< its address, and that of this thread's first entry
  mlir::Value ofStep, from; ///< of the step that is read next: its image's offset, and its first entry
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_PIXELTABLE_H
