// Where elements of an operand's tile lie in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_TILEADDRESS_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_TILEADDRESS_H

#include "Codegen/NVVM/GPUFunction.h"
#include "mp/Analysis/MatrixTiles.h"

namespace mp {

/// Addresses in one stage of an operand, seen from a lane. Rows of a swizzled tile have their 16-byte chunks in an
/// order that depends on the row, so that the eight rows of a matrix of ldmatrix lie in different banks:
///
///   chunk c of row r is at c ^ (r / s) % t, where a line of 128 bytes has s rows of t chunks
///
/// [8 rows of 128 bytes]: row 0 has chunks 0 1 2 3 ..., row 1 has 1 0 3 2 ..., row 2 has 2 3 0 1 ...
class TileAddress {
public:
  TileAddress(GPUFunction &f, const SharedTile &tile) : f(f), tile(tile) {}

  /// The address of (row + rowStep, column + columnStep). `column + columnStep` are not in a chunk with an element of
  /// another row.
  mlir::Value at(mlir::Value stage, mlir::Value row, int64_t rowStep, mlir::Value column, int64_t columnStep = 0);

  /// The same where rowStep is a multiple of rowPeriod(), and columnStep a power of two times a number that bits of
  /// `column` do not reach: one exclusive or and an addition of constants.
  mlir::Value atStep(mlir::Value stage, mlir::Value row, int64_t rowStep, mlir::Value column, int64_t columnStep);

  /// Rows after which the order of chunks repeats.
  int64_t rowPeriod() const { return tile.swizzled ? 8 : 1; }

private:
  /// Bits that the chunks of `row` are moved by, in bytes.
  mlir::Value swizzleOf(mlir::Value row);
  mlir::Value advance(mlir::Value pointer, int64_t bytes);

  GPUFunction &f;
  SharedTile tile;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_TILEADDRESS_H
