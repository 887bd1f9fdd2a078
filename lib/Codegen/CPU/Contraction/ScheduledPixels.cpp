// What tiles of a schedule read where it lies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/ScheduledPixels.h"

#include "mp/Analysis/RegisterTiles.h"
#include "mp/IR/TileRegisters.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mp;

bool mp::readsMatrix(const Product &product, ContractionScheduleAttr schedule) {
  return schedule.getReadLhs() && !schedule.getTransposed() && product.m >= schedule.getTileM() &&
         mayReadInMemory(product, product.lhs, schedule.getInstruction(), schedule.getProducts());
}

std::optional<PixelRows> mp::pixelsOf(const Product &product, ContractionScheduleAttr schedule) {
  if (!schedule.getReadLhs() || schedule.getTransposed())
    return std::nullopt;
  std::optional<PixelRows> rows =
      findPixelRows(product, product.lhs, schedule.getInstruction(), schedule.getProducts());
  const bool isAmx = schedule.getInstruction() == TileInstruction::Amx;
  const int64_t tiles = isAmx ? llvm::divideCeil(schedule.getTileM(), kTileRows) : 1; // of rows that lie together
  const bool isWhole = rows && rows->keptRows(schedule.getBlockM()) > 0 && rows->fillTile(schedule.getTileM(), tiles);
  return isWhole ? rows : std::nullopt;
}

std::optional<PixelRows> mp::pixelStretchesOf(const Product &product, ContractionScheduleAttr schedule) {
  if (!schedule.getReadLhs() || schedule.getTransposed())
    return std::nullopt;
  std::optional<PixelRows> rows =
      findPixelStretches(product, product.lhs, schedule.getInstruction(), schedule.getProducts());
  const bool isWhole = rows && rows->keptRows(schedule.getBlockM()) > 0 && schedule.getBlockK() >= product.k;
  return isWhole ? rows : std::nullopt;
}

std::optional<PixelRows> mp::pixelsOfDepthOf(const Product &product, ContractionScheduleAttr schedule) {
  if (!(schedule.getTransposed() ? schedule.getReadLhs() : schedule.getReadRhs()))
    return std::nullopt;
  std::optional<PixelRows> rows = findPixelRowsOfDepth(product, product.rhs, schedule.getInstruction());
  if (!rows || rows->keptRows(schedule.getBlockK()) == 0)
    return std::nullopt;
  const int64_t vector = std::min(schedule.getVector(), schedule.getTileN());
  const bool isWhole = schedule.getTransposed() ? rows->together % schedule.getTileM() == 0
                                                : mayHaveColumns(*rows, product.n, schedule.getTileN(), vector);
  return isWhole ? rows : std::nullopt;
}

std::optional<PixelRows> mp::pixelColumnsOf(const Product &product, const IndexMap &map,
                                            ContractionScheduleAttr schedule) {
  if (!schedule.getTransposed() || !schedule.getReadRhs())
    return std::nullopt;
  std::optional<PixelRows> rows = findPixelColumns(product, map, product.lhs, schedule.getInstruction());
  const bool isWhole = rows && rows->keptRows(schedule.getBlockN()) > 0 && rows->columns % schedule.getVector() == 0 &&
                       schedule.getBlockK() % rows->together == 0;
  return isWhole ? rows : std::nullopt;
}

std::optional<TapPanels> mp::tapPanelsOf(const Product &product, ContractionScheduleAttr schedule) {
  if (!schedule.getReadRhs())
    return std::nullopt;
  std::optional<TapPanels> panels =
      findTapPanels(product, product.rhs, schedule.getInstruction(), schedule.getProducts());
  const bool isWhole = panels && (schedule.getBlockN() >= product.n ||
                                  panels->mayHaveColumns(schedule.getBlockN(), schedule.getTileN()));
  return isWhole ? panels : std::nullopt;
}

std::optional<PixelRows> mp::pixelStretchesOfDepthOf(const Product &product, ContractionScheduleAttr schedule) {
  if (!schedule.getReadRhs())
    return std::nullopt;
  std::optional<PixelRows> rows =
      findPixelStretchesOfDepth(product, product.rhs, schedule.getInstruction(), schedule.getProducts());
  const bool isWhole = rows && rows->keptRows(schedule.getBlockK()) > 0 && product.depth % schedule.getBlockK() == 0 &&
                       schedule.getBlockN() >= product.n;
  return isWhole ? rows : std::nullopt;
}

/// Whether tiles read lhs, or a block packs it of what it keeps: of classes of rows that of one at least.
static bool readsLhs(const Product &product, ContractionScheduleAttr schedule) {
  if (!product.classes.empty())
    return llvm::any_of(product.classes,
                        [&](const Contraction::Class &own) { return readsLhs(product.of(own), schedule); });
  return readsMatrix(product, schedule) || pixelsOf(product, schedule) || pixelStretchesOf(product, schedule);
}

/// Whether all classes of rows, or all rows, have such pixels.
static bool havePixelColumns(const Product &product, ContractionScheduleAttr schedule) {
  if (product.classes.empty())
    return pixelColumnsOf(product, product.lhsMap, schedule).has_value();
  return llvm::all_of(product.classes, [&](const Contraction::Class &own) {
    return pixelColumnsOf(product, own.lhsMap, schedule).has_value();
  });
}

LogicalResult mp::verifyReads(const Product &product, ContractionScheduleAttr schedule) {
  const bool isTransposed = schedule.getTransposed();
  // Tiles of what is streamed are whole: behind its last column there may be no memory.
  const int64_t columns = isTransposed ? product.m : product.n;
  if (schedule.getStreamRhs() && columns % schedule.getTileN() != 0)
    return product.op->emitOpError("has ")
           << columns << " columns, which tiles of " << schedule.getTileN() << " do not divide, as streaming needs it";
  if (schedule.getReadLhs() && !isTransposed && !readsLhs(product, schedule))
    return product.op->emitOpError("has an lhs of ")
           << product.m << " x " << product.k
           << " that is no matrix in memory with the rows of a tile, and no image of blocks of whole rows of pixels, "
              "whole registers of channels of an amx or all of k, as reading it there needs";
  const bool isAmx = schedule.getInstruction() == TileInstruction::Amx;
  if (isAmx && schedule.getReadRhs() && !tapPanelsOf(product, schedule) && !pixelStretchesOfDepthOf(product, schedule))
    return product.op->emitOpError("has an rhs of ")
           << product.n << " x " << product.k
           << " that is no image with rows of taps, each of whole registers, of which a block has as many columns of "
              "each, in whole tiles, or all, and none of shorter ones whose steps are "
              "whole rows of pixels and whole registers, and whose columns one block, as reading panels of it needs";
  if (!isAmx && (isTransposed ? schedule.getReadLhs() : schedule.getReadRhs()) && !pixelsOfDepthOf(product, schedule))
    return product.op->emitOpError("has an rhs of ")
           << product.n << " x " << product.k
           << " that is no image whose rows of pixels are whole steps of k, with columns side by side for whole tiles, "
              "as reading it there needs";
  if (isTransposed && schedule.getReadRhs() && !havePixelColumns(product, schedule))
    return product.op->emitOpError("has an lhs of ")
           << product.m << " x " << product.k
           << " that is no image of blocks of whole rows of pixels, in whole vectors and steps of whole taps, as "
              "reading it there as columns needs";
  return success();
}
