// What the tiles of a matrix product take of a chip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which chip multiplies what by which instruction, and the shared memory and registers of a schedule: what chooses
// schedules, what checks them and what makes code of them agree by asking here.

#ifndef MP_ANALYSIS_MATRIXTILES_H
#define MP_ANALYSIS_MATRIXTILES_H

#include "mp/Hardware/ChipTable.h"
#include "mp/IR/MP.h"

namespace mp {

/// What a warp multiplies at once, by instruction.
struct MatrixInstructionInfo {
  MatrixInstruction instruction;
  std::optional<ChipFeature> feature; ///< what a chip needs for it
  int64_t depth;                      ///< the k of that; a step of k is several times as deep
  int64_t lhsCopies, rhsCopies;       ///< lanes that hold each element of an operand
  int64_t otherRegisters;             ///< of a thread beside sums and fragments, as ptxas makes do
  bool f16, bf16, f32, f64;           ///< what it multiplies
  bool pairs;                         ///< of sums a lane has two neighbours of a row, always
};
const MatrixInstructionInfo &infoOf(MatrixInstruction instruction);

/// The fastest instruction of `chip` for operands of `element`. f32 is exact unless `allowTF32`.
MatrixInstruction chooseInstruction(const Chip &chip, mlir::Type element, bool allowTF32 = false);

/// One stage of an operand in shared memory: `rows` of `columns` elements, `pitch` apart.
struct SharedTile {
  int64_t rows, columns, pitch;
  int64_t elementBytes;
  bool outerMajor; ///< k changes from row to row, the operand's other dimension along a row
  bool swizzled;   ///< chunks of a row, each one access of 16 bytes, lie in an order that depends on the row
  /// Why the operand passes through registers even where the chip has cp.async; empty if it need not.
  std::string staged;
  int64_t width; ///< neighbours in memory that a thread moves at once

  int64_t bytes() const { return rows * pitch * elementBytes; }
};

/// How a schedule lays a product out on a chip.
class MatrixTiles {
public:
  MatrixTiles(MmaScheduleAttr schedule, const Contraction &product);

  MmaScheduleAttr schedule;
  mlir::Type element; ///< of the operands
  mlir::Type sum;     ///< of what a lane adds up: the accumulator's, but f32 where plain arithmetic would need f16
  /// Of what passes through shared memory when the sums are finished: sums, or what they are rounded to.
  mlir::Type passed;
  const MatrixInstructionInfo &info;
  SharedTile lhs, rhs; ///< what is multiplied, converted to the type that `fma` works in

  int64_t stageBytes() const { return lhs.bytes() + rhs.bytes(); }
  int64_t ringBytes() const { return schedule.getStages() * stageBytes(); }
  /// What a warp has finished passes through shared memory, so many rows at once, 16 to all of them: as many as fit
  /// where the stages were.
  int64_t epilogueRows() const;
  /// Elements from one row of an epilogue tile to the next: no two lanes that store at once share a bank.
  int64_t epiloguePitch() const { return schedule.getWarpN() + 8; }
  int64_t epilogueBytes() const { return epilogueRows() * epiloguePitch() * passedBytes(); }
  /// Shared memory of a block.
  int64_t sharedBytes() const;
  /// Whether an operand is copied by cp.async.
  bool isAsync(const SharedTile &tile, const Chip &chip) const {
    return tile.staged.empty() && chip.has(ChipFeature::CpAsync);
  }
  /// An estimate of the registers that ptxas gives a thread: sums, fragments of two depths, what is on its way, and
  /// addresses.
  int64_t registers(const Chip &chip) const;
  /// An estimate of those without which it spills: fragments of one depth.
  int64_t leastRegisters(const Chip &chip) const;

private:
  int64_t sumBytes() const { return sum.getIntOrFloatBitWidth() / 8; }
  int64_t passedBytes() const { return passed.getIntOrFloatBitWidth() / 8; }
  int64_t sumRegisters() const;
  int64_t fragmentRegisters() const;
  int64_t registersOnTheWay(const SharedTile &tile, const Chip &chip) const;
};

/// What a schedule needs and `chip` does not have, so that there is no code for it; empty if it has all.
std::string explainIllegal(const MatrixTiles &tiles, const Chip &chip);

/// The registers that a schedule needs by our estimate, where they are more than `chip` has: its code would spill.
/// Empty if they suffice.
std::string explainCrowded(const MatrixTiles &tiles, const Chip &chip);

} // namespace mp

#endif // MP_ANALYSIS_MATRIXTILES_H
