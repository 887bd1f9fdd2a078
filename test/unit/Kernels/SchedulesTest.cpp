// The numbers of schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Schedule/Schedules.h"
#include "mp/IR/TileRegisters.h"

#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

using namespace mp;

namespace {

int64_t gridOf(const ContractionBlocks &blocks, int64_t m, int64_t n) {
  return llvm::divideCeil(m, blocks.blockM) * llvm::divideCeil(n, blocks.blockN);
}

static constexpr double kRate = 100e9;

TEST(Schedules, BlocksAreLegalForEveryShapeAndLevel) {
  for (const CPULevel &level : allCPULevels())
    for (int64_t m : {0, 1, 5, 64, 128, 1000, 4096})
      for (int64_t n : {1, 10, 31, 512, 4096})
        for (int64_t k : {0, 1, 784, 5000}) {
          ContractionBlocks blocks = chooseContractionBlocks({1, m, n, k, kRate}, level);
          EXPECT_EQ(blocks.blockM % blocks.tileM, 0);
          EXPECT_EQ(blocks.blockN % blocks.tileN, 0);
          EXPECT_EQ(blocks.tileN % level.lanes(), 0);
          EXPECT_GE(blocks.blockK, 1);
          bool isTile = blocks.blockM == blocks.tileM && blocks.blockN == blocks.tileN;
          int64_t bytes = 4 * (blocks.blockM + blocks.blockN) * blocks.blockK;
          EXPECT_TRUE(bytes <= level.cacheBytes || isTile) << m << "x" << n << "x" << k;
        }
}

TEST(Schedules, LargeProductsKeepManyCoresBusy) {
  for (const CPULevel &level : allCPULevels())
    for (int64_t size : {1024, 1536, 4096}) {
      int64_t grid = gridOf(chooseContractionBlocks({1, size, size, size, kRate}, level), size, size);
      EXPECT_GE(grid, 8) << level.name << " " << size;
    }
}

TEST(Schedules, ABatchOfProductsNeedsNoSmallBlocks) {
  const CPULevel &level = *findCPULevel("avx2");
  EXPECT_GE(chooseContractionBlocks({64, 96, 96, 96, kRate}, level).blockM, 96);
}

TEST(Schedules, BlocksOutweighTheirStart) {
  const CPULevel &level = *findCPULevel("avx2");
  EXPECT_EQ(chooseItemsPerBlock(1000000, 1e-9, 1024, level), 19456);
  // Long items come one granule at a time, and few items at once.
  EXPECT_EQ(chooseItemsPerBlock(1000, 1e-3, 64, level), 64);
  EXPECT_EQ(chooseItemsPerBlock(100, 1e-9, 64, level), 128);
  EXPECT_EQ(chooseItemsPerBlock(0, 1e-9, 64, level), 64);
}

} // namespace

// 128 rows in tiles of 14 leave a tenth of the last empty; 13 fit.
TEST(Schedules, TilesHaveFewerRowsWhereThatFillsTheLast) {
  const CPULevel &level = *findCPULevel("avx512");
  EXPECT_EQ(chooseContractionBlocks({1, 128, 512, 784, kRate}, level).tileM, 13);
  EXPECT_EQ(chooseContractionBlocks({1, 784, 512, 784, kRate}, level).tileM, 14);
}

// Weights that no cache holds are read by one block of all rows, whose sums many short steps visit; where operands lie
// in a cache, steps are long.
TEST(Schedules, LargeOperandsAreReadOnce) {
  for (const char *name : {"avx512", "avx512bf16"}) {
    const CPULevel &level = *findCPULevel(name);
    ContractionSize size{1, 512, 4096, 4096, level.contractionRates[static_cast<size_t>(ArithmeticType::F32)]};
    size.mayPackLhs = size.mayPackRhs = true;
    const ContractionBlocks blocks = chooseContractionBlocks(size, level);
    EXPECT_GE(blocks.blockM, size.m) << name;
    EXPECT_FALSE(blocks.packsRhs) << name;
    EXPECT_LT(blocks.blockK, 200) << name;
    size.n = size.k = 256;
    EXPECT_EQ(chooseContractionBlocks(size, level).blockK, 256) << name;
  }
}

// A step of k holds whole runs of what is gathered, where some fit, and whole units; it is no longer than k.
TEST(Schedules, StepsHoldWholeRuns) {
  const CPULevel &level = *findCPULevel("avx512bf16");
  auto stepOf = [&](int64_t k, int64_t run, int64_t unit) {
    ContractionSize size{1, 4096, 64, k, kRate};
    size.run = run;
    size.unit = unit;
    return chooseContractionBlocks(size, level).blockK;
  };
  EXPECT_EQ(stepOf(576, 192, 1), 384);
  EXPECT_EQ(stepOf(576, 1, 1), 288);
  EXPECT_EQ(stepOf(2304, 256, 2), 256);
  EXPECT_EQ(stepOf(1 << 15, 15, 2), 360);
  EXPECT_EQ(stepOf(27, 9, 2), 28);
  EXPECT_EQ(stepOf(4608, 512, 2), 384); // none fits
  EXPECT_EQ(stepOf(0, 9, 2), 2);
}

// The columns of a filter's gradient are rows of taps: three vectors of 16 channels have no rest.
TEST(Schedules, ThreeVectorsServeRowsOfTaps) {
  const CPULevel &level = *findCPULevel("avx512");
  const ContractionBlocks blocks = chooseContractionBlocks({1, 16, 144, 1 << 15, kRate}, level);
  EXPECT_EQ(blocks.tileN, 48);
  EXPECT_EQ(blocks.tileM, 8);
}

// What many blocks read is packed once, what one block reads is packed there, and only where the caller can.
TEST(Schedules, OperandsOfManyBlocksArePackedOnce) {
  const CPULevel &level = *findCPULevel("avx512");
  ContractionSize size{1, 128, 4096, 784, kRate};
  EXPECT_FALSE(chooseContractionBlocks(size, level).packsLhs);
  size.mayPackLhs = size.mayPackRhs = true;
  const ContractionBlocks blocks = chooseContractionBlocks(size, level);
  EXPECT_TRUE(blocks.packsLhs);
  EXPECT_GE(blocks.blockM, size.m);
  EXPECT_FALSE(blocks.packsRhs);
  size = {1, 14, 32, 64, kRate};
  size.mayPackLhs = size.mayPackRhs = true;
  EXPECT_FALSE(chooseContractionBlocks(size, level).packsLhs);
}

// Tiles of a unit read whole rows of lhs where they lie, as many in a block as a few ways of the cache hold: rows of a
// power of two share sets.
TEST(Schedules, TilesReadLhsInMemory) {
  const CPULevel &level = *findCPULevel("amx-bf16");
  auto choose = [&](int64_t m, int64_t k) {
    ContractionSize size{1, m, 1024, k, level.contractionRates[1], 2, 32};
    size.tiles = level.unitTiles;
    size.mayPackLhs = size.mayPackRhs = true;
    const ContractionBlocks packed = chooseContractionBlocks(size, level);
    EXPECT_FALSE(packed.readsLhs);
    size.mayReadLhs = true;
    const ContractionBlocks blocks = chooseContractionBlocks(size, level);
    EXPECT_FALSE(blocks.readsLhs && (blocks.packsLhs || m < blocks.tileM)) << m << ' ' << k;
    EXPECT_LE(blocks.seconds, packed.seconds);
    return blocks;
  };
  EXPECT_TRUE(choose(512, 512).readsLhs);
  EXPECT_TRUE(choose(500, 512).readsLhs);
  EXPECT_FALSE(choose(7, 512).readsLhs);
  EXPECT_TRUE(choose(1024, 1024).readsLhs);
  const ContractionBlocks far = choose(4096, 65536);
  EXPECT_FALSE(far.readsLhs && far.blockM > 64);
}

// Few rows or columns are those of tiles with sums in several registers: those of one would wait for each other.
TEST(Schedules, UnitsHaveSeveralSums) {
  const CPULevel &level = *findCPULevel("amx-bf16");
  for (auto [m, n] : {std::pair<int64_t, int64_t>(4096, 16), {4096, 3}, {16, 4096}, {16, 144}, {144, 16}, {16, 80}}) {
    ContractionSize size{64, m, n, 1024, level.contractionRates[1], 2, kTileDepth};
    size.tiles = level.unitTiles;
    // Nothing is packed, of which wider tiles need more.
    size.mayPackLhs = size.mayPackRhs = size.keepsLhs = size.keepsRhs = true;
    const ContractionBlocks blocks = chooseContractionBlocks(size, level);
    EXPECT_GE(blocks.tileM / kTileRows * (blocks.tileN / kTileColumns), 2) << m << ' ' << n;
    EXPECT_LE(blocks.tileN, llvm::alignTo(n, 2 * kTileColumns)) << m << ' ' << n;
  }
}

// Each load is billed: of one column four registers hold sums, of many a square of them does. Panels of pixels' filters
// lie in the first cache, and chunks of k are even.
TEST(Schedules, UnitsHaveTilesOfFewLoads) {
  const CPULevel &level = *findCPULevel("amx-bf16");
  for (auto [width, channels, filters, tileM, tileN, blockK] :
       {std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>(14, 256, 256, 28, 32, 576),
        {28, 128, 128, 28, 32, 576},
        {56, 64, 64, 28, 32, 576},
        {32, 32, 3, 64, 16, 288}}) {
    ContractionSize size{1, 16 * width * width, filters, 9 * channels, level.contractionRates[1], 2, kTileDepth};
    size.tiles = level.unitTiles;
    size.mayPackRhs = true;
    size.run = 3 * channels <= 384 ? 3 * channels : channels;
    size.pixels = PixelRows{.images = 16,
                            .rows = width,
                            .columns = width,
                            .height = width,
                            .width = width * channels,
                            .rowStep = 1,
                            .columnStep = channels,
                            .firstRow = -1,
                            .firstElement = -channels,
                            .tapRows = 3,
                            .tapElements = 3 * channels,
                            .together = channels,
                            .rowsOfTaps = 3};
    const ContractionBlocks blocks = chooseContractionBlocks(size, level);
    EXPECT_TRUE(blocks.readsLhs) << width;
    EXPECT_EQ(blocks.tileM, tileM) << width;
    EXPECT_EQ(blocks.tileN, tileN) << width;
    EXPECT_EQ(blocks.blockK, blockK) << width;
  }
}

/// A clip of 8 x 10 x 10 pixels, pooled by windows of 2 x 2 x 2, with sums of 216 terms for each of 16 channels.
ContractionSize pooledSize(int64_t pixelsOfWindows) {
  ContractionSize size{1, 64 * 800, 16, 216, kRate};
  size.mayPackRhs = true;
  size.pooled = PooledResult{{pixelsOfWindows, 1}, 64 * 800 * 16 * 4};
  return size;
}

// Blocks have whole windows where that costs less than to read the result again: with tiles of fewer rows, 25 for 28.
TEST(Schedules, BlocksHaveWholeWindows) {
  for (const char *name : {"sse2", "avx2", "avx512", "avx512bf16"}) {
    const CPULevel &level = *findCPULevel(name);
    ContractionSize size = pooledSize(200);
    const ContractionBlocks blocks = chooseContractionBlocks(size, level);
    EXPECT_EQ(blocks.blockM % 200, 0) << name;
    EXPECT_EQ(blocks.blockM % blocks.tileM, 0) << name;
    EXPECT_GE(blocks.blockN, size.n) << name;
    EXPECT_FALSE(blocks.transposed) << name;
    size.pooled.reset();
    const ContractionBlocks alone = chooseContractionBlocks(size, level);
    EXPECT_NE(alone.blockM % 200, 0) << name;
  }
}

// So they are for a unit, whose registers stay full.
TEST(Schedules, UnitsHaveWholeWindows) {
  const CPULevel &level = *findCPULevel("amx-bf16");
  ContractionSize size = pooledSize(200);
  size.rate = level.contractionRates[1], size.wordBytes = 2, size.unit = kTileDepth, size.tiles = level.unitTiles;
  const ContractionBlocks blocks = chooseContractionBlocks(size, level);
  EXPECT_EQ(blocks.blockM % 200, 0);
  EXPECT_EQ(blocks.blockM % blocks.tileM, 0);
  EXPECT_EQ(blocks.tileM % kTileRows, 0);
}

// Windows that no block can have, of a whole image that fills the cache or of rows that make no tiles, change nothing
// but what is pooled later.
TEST(Schedules, BlocksWithoutWholeWindowsAreThoseOfTheProduct) {
  const CPULevel &level = *findCPULevel("avx2");
  for (int64_t pixels : {int64_t{0}, int64_t{809}, int64_t{64} * 400, int64_t{1} << 40}) {
    ContractionSize size = pooledSize(pixels);
    const ContractionBlocks pooled = chooseContractionBlocks(size, level);
    size.pooled.reset();
    const ContractionBlocks alone = chooseContractionBlocks(size, level);
    EXPECT_EQ(pooled.blockM, alone.blockM) << pixels;
    EXPECT_EQ(pooled.tileM, alone.tileM) << pixels;
    // On each number of cores the result is stored, read, and pooled by another kernel.
    const double later = 2 * (64 * 800 * 16 * 4) / level.memoryBandwidth + level.launchSeconds;
    EXPECT_NEAR(pooled.seconds, alone.seconds + 4 * later, 1e-9) << pixels;
  }
}

// Blocks that read pixels are whole rows of an image or whole images, and each register holds pixels of one row.
TEST(Schedules, TilesReadRowsOfPixels) {
  const CPULevel &level = *findCPULevel("amx-bf16");
  auto choose = [&](const PixelRows &pixels, int64_t filters) {
    const int64_t taps = pixels.tapRows * pixels.tapElements;
    ContractionSize size{1, pixels.images * pixels.rows * pixels.columns, filters, taps, level.contractionRates[1], 2,
                         32};
    size.tiles = level.unitTiles;
    size.mayPackRhs = true;
    const double packed = chooseContractionBlocks(size, level).seconds;
    size.pixels = pixels;
    const ContractionBlocks blocks = chooseContractionBlocks(size, level);
    EXPECT_LE(blocks.seconds, packed);
    if (blocks.readsLhs) {
      const int64_t registers = llvm::divideCeil(blocks.tileM, int64_t{16});
      EXPECT_EQ(blocks.tileM % registers, 0);
      EXPECT_EQ(pixels.columns % (blocks.tileM / registers), 0) << blocks.tileM;
      EXPECT_GT(pixels.keptRows(blocks.blockM), 0) << blocks.blockM;
      EXPECT_EQ(blocks.blockM % blocks.tileM, 0);
      EXPECT_FALSE(blocks.packsLhs);
      EXPECT_LE(2 * pixels.keptRows(blocks.blockM) * pixels.keptWidth(), level.cacheBytes / 2);
    }
    return blocks;
  };
  // A 3 x 3 convolution of 32 channels.
  auto plain = [](int64_t images, int64_t size) {
    return PixelRows{images, size, size, size, 32 * size, 1, 32, -1, -32, 3, 96, 32};
  };
  for (int64_t size : {13, 15, 16, 30, 32, 56})
    EXPECT_TRUE(choose(plain(128, size), 64).readsLhs) << size;
  // Two rows of 13 pixels make the rows of two registers, in blocks of several images.
  EXPECT_EQ(choose(plain(128, 13), 64).tileM, 26);
  // Registers of one pixel each are slower than packing.
  EXPECT_FALSE(choose(plain(128, 17), 64).readsLhs);
  // One row of it alone is more than the cache holds.
  EXPECT_FALSE(choose(plain(1, 1 << 20), 64).readsLhs);
  for (int64_t images : {1, 3, 128})
    for (int64_t rows : {1, 7, 24})
      for (int64_t columns : {1, 5, 14, 48, 97})
        for (int64_t step : {1, 2})
          choose({images, rows, columns, step * rows + 2, 64 * (step * columns + 2), step, 64 * step, 0, 0, 3, 192, 64},
                 40);
}

// Of five rows under three rows of taps, two apart, each but the one in the middle lacks one or two of them.
TEST(Schedules, RowsOfPixelsMissRowsOfTaps) {
  const PixelRows rows = {.images = 1,
                          .rows = 5,
                          .columns = 4,
                          .height = 5,
                          .width = 4,
                          .rowStep = 1,
                          .columnStep = 1,
                          .firstRow = -2,
                          .firstElement = 0,
                          .tapRows = 5,
                          .tapElements = 1,
                          .together = 1,
                          .rowsOfTaps = 3,
                          .tapStep = 2};
  EXPECT_TRUE(rows.missesTaps());
  const int64_t from[] = {1, 1, 0, 0, 0}, to[] = {3, 3, 3, 2, 2};
  for (int64_t row = 0; row < 5; ++row) {
    EXPECT_EQ(rows.fromTaps(row), from[row]) << row;
    EXPECT_EQ(rows.toTaps(row), to[row]) << row;
  }
}

// Where pixels are k, chunks are whole rows of an image or whole images, and tiles have taps that lie side by side.
TEST(Schedules, TilesReadRowsOfPixelsOfDepth) {
  for (const char *name : {"avx2", "avx512", "avx512bf16"}) {
    const CPULevel &level = *findCPULevel(name);
    for (int64_t unit : {1, level.dotsBF16 ? 2 : 1})
      for (int64_t images : {1, 3, 128})
        for (int64_t size : {1, 7, 14, 32, 97})
          for (int64_t channels : {3, 16, 64}) {
            const PixelRows pixels = {images,   size, 2 * size,  size, channels * 2 * size, 1,
                                      channels, -1,   -channels, 3,    3 * channels,        3 * channels};
            ContractionSize asked{1, 32, 9 * channels, images * size * 2 * size, kRate, 4 / unit, unit};
            asked.mayCut = true;
            asked.granules = images;
            const double packed = chooseContractionBlocks(asked, level).seconds;
            asked.pixelsOfDepth = pixels;
            const ContractionBlocks blocks = chooseContractionBlocks(asked, level);
            EXPECT_LE(blocks.seconds, packed);
            // Of three channels all columns are one tile of AVX-512.
            const bool mayRead = channels == 16 || (channels == 3 && level.lanes() == 16);
            EXPECT_TRUE(blocks.readsRhs || !mayRead || size != 32) << name << ' ' << images;
            if (!blocks.readsRhs)
              continue;
            EXPECT_GT(pixels.keptRows(blocks.blockK), 0) << blocks.blockK;
            EXPECT_TRUE(pixels.together % blocks.tileN == 0 || blocks.tileN >= asked.n) << blocks.tileN;
            EXPECT_FALSE(blocks.packsRhs || blocks.streamsRhs);
            EXPECT_LE(4 * pixels.keptRows(blocks.blockK) * pixels.keptWidth(), level.cacheBytes);
          }
  }
}

// A unit reads panels of pixels for all rows of taps, in chunks of whole registers, where that copies less than
// packing.
TEST(Schedules, UnitsReadPanelsOfPixels) {
  const CPULevel &level = *findCPULevel("amx-bf16");
  for (int64_t images : {1, 3, 128})
    for (int64_t width : {8, 14, 16, 32, 56})
      for (int64_t taps : {1, 3, 5})
        for (int64_t channels : {16, 32, 128})
          for (int64_t filters : {16, 64}) {
            const TapPanels panels = {.tapRows = 3,
                                      .tapStep = 1,
                                      .rowStep = 1,
                                      .columns = taps * channels,
                                      .images = images,
                                      .rows = width,
                                      .width = width,
                                      .startsWithImages = true};
            ContractionSize asked{1, filters, 3 * taps * channels, images * width * width, 2e12, 2, kTileDepth};
            asked.tiles = level.unitTiles;
            asked.mayCut = true;
            asked.granules = images;
            const double packed = chooseContractionBlocks(asked, level).seconds;
            asked.tapPanels = panels;
            const ContractionBlocks blocks = chooseContractionBlocks(asked, level);
            EXPECT_LE(blocks.seconds, packed);
            EXPECT_TRUE(blocks.readsRhs || images == 1 || width == 8 || width == 14) << width << ' ' << channels;
            if (!blocks.readsRhs)
              continue;
            EXPECT_EQ(blocks.blockK % kTileDepth, 0);
            EXPECT_LE(blocks.tileN, blocks.blockN);
            // Sums of one register would wait for each other; blocks of few images are small, for all cores.
            EXPECT_TRUE(llvm::divideCeil(blocks.tileM, kTileRows) * blocks.tileN / kTileColumns >= 2 || images < 8);
            // Of many columns a block has some of each row of taps.
            EXPECT_TRUE(blocks.blockN >= asked.n || panels.mayHaveColumns(blocks.blockN, blocks.tileN));
            const int64_t columns = std::min(panels.columns, blocks.blockN / panels.tapRows);
            EXPECT_LE(2 * columns * panels.depthFor(blocks.blockK), level.cacheBytes);
          }
}

// Rows of an odd number of pixels have a second set of panels, which takes time and a part of the cache.
TEST(Schedules, UnitsReadPanelsOfOddRows) {
  const CPULevel &level = *findCPULevel("amx-bf16");
  auto choose = [&](int64_t width, bool mayRead) {
    const TapPanels panels = {.tapRows = 3,
                              .tapStep = 1,
                              .rowStep = 1,
                              .columns = 96,
                              .images = 64,
                              .rows = 32,
                              .width = width,
                              .startsWithImages = false};
    ContractionSize asked{1, 32, 288, 64 * 32 * width, 2e12, 2, kTileDepth};
    asked.tiles = level.unitTiles;
    asked.mayCut = true;
    asked.granules = 64;
    if (mayRead)
      asked.tapPanels = panels;
    return chooseContractionBlocks(asked, level);
  };
  const ContractionBlocks even = choose(16, true), odd = choose(15, true), packed = choose(15, false);
  EXPECT_TRUE(even.readsRhs && odd.readsRhs);
  EXPECT_LT(odd.seconds, packed.seconds);
  EXPECT_GT(odd.seconds / 15, even.seconds / 16 * 1.05);
}

// The same with operands in each other's place, where lhs may be streamed: rows of a tile are taps that lie side by
// side, its vectors divide the filters, and what it reads of them for a chunk stays in the first cache.
TEST(Schedules, OperandsOfFilterGradientsChangePlaces) {
  for (const char *name : {"avx2", "avx512", "avx512bf16"})
    for (int64_t images : {1, 64})
      for (int64_t filters : {5, 16, 32, 60, 64, 96})
        for (int64_t channels : {3, 16}) {
          const CPULevel &level = *findCPULevel(name);
          ContractionSize asked{1, filters, 9 * channels, images * 1024, kRate};
          asked.mayCut = true;
          asked.granules = images;
          asked.pixelsOfDepth =
              PixelRows{images, 32, 32, 32, channels * 32, 1, channels, -1, -channels, 3, 3 * channels, 3 * channels};
          EXPECT_FALSE(chooseContractionBlocks(asked, level).transposed);
          asked.mayStreamLhs = true;
          const ContractionBlocks blocks = chooseContractionBlocks(asked, level);
          EXPECT_TRUE(blocks.transposed || images == 1 || channels != 3 || filters % 16 != 0) << name << ' ' << filters;
          if (!blocks.transposed)
            continue;
          EXPECT_TRUE(blocks.streamsRhs && blocks.readsLhs && !blocks.readsRhs);
          EXPECT_EQ(filters % blocks.tileN, 0) << blocks.tileN;
          EXPECT_EQ(3 * channels % blocks.tileM, 0) << blocks.tileM;
          EXPECT_EQ(blocks.blockM % blocks.tileM, 0);
          EXPECT_GT(asked.pixelsOfDepth->keptRows(blocks.blockK), 0) << blocks.blockK;
          EXPECT_LE(4 * blocks.blockK * blocks.tileN, 32 << 10);
        }
}

// Vectors of few columns lie along rows of pixels, as many as registers hold sums of.
TEST(Schedules, FewColumnsAreRowsOfTiles) {
  for (const char *name : {"avx2", "avx512", "avx512bf16"})
    for (int64_t images : {1, 3, 64})
      for (int64_t size : {8, 24, 32, 112})
        for (int64_t columns : {1, 3, 5, 16, 40}) {
          const CPULevel &level = *findCPULevel(name);
          ContractionSize asked{1, images * size * size, columns, 288, kRate};
          asked.pixels = PixelRows{images, size, size, size, 32 * size, 1, 32, -1, -32, 3, 96, 32};
          EXPECT_FALSE(chooseContractionBlocks(asked, level).transposed);
          asked.pixelColumns = asked.pixels;
          const ContractionBlocks blocks = chooseContractionBlocks(asked, level);
          EXPECT_TRUE(blocks.transposed || columns > 3 || size % level.lanes() != 0) << name << ' ' << size;
          if (!blocks.transposed)
            continue;
          EXPECT_TRUE(blocks.readsRhs && !blocks.streamsRhs && !blocks.readsLhs);
          EXPECT_EQ(size % level.lanes(), 0) << size;
          EXPECT_EQ(blocks.blockN % blocks.tileN, 0);
          EXPECT_EQ(blocks.tileM, columns);
          EXPECT_LE(2 * columns, level.lanes());
          EXPECT_EQ(blocks.blockK % 32, 0);
          EXPECT_LE(blocks.tileM * blocks.tileN / level.lanes(), level.vectorRegisters - 4);
          EXPECT_LE(4 * asked.pixels->keptRows(blocks.blockN) * asked.pixels->keptWidth(), level.cacheBytes / 2);
        }
}

// A tile of few rows reads the rows of rhs where they lie, in vectors that divide them.
TEST(Schedules, FewRowsStreamRhs) {
  for (const CPULevel &level : allCPULevels())
    for (int64_t m : {1, 2, 3, 7, 14, 31})
      for (int64_t n : {512, 768, 784, 4096}) {
        ContractionSize size{1, m, n, 4096, kRate};
        size.mayPackLhs = size.mayPackRhs = size.mayStreamRhs = true;
        const ContractionBlocks blocks = chooseContractionBlocks(size, level);
        EXPECT_TRUE(blocks.streamsRhs || m != 1 || n != 4096) << level.name << ' ' << m << ' ' << n;
        if (!blocks.streamsRhs)
          continue;
        EXPECT_EQ(n % blocks.tileN, 0) << level.name << ' ' << m << ' ' << n;
        EXPECT_EQ(blocks.blockN % blocks.tileN, 0);
        EXPECT_EQ(blocks.tileN % level.lanes(), 0);
        EXPECT_GE(blocks.blockM, m);
        EXPECT_LE(blocks.tileM * blocks.tileN / level.lanes(), level.vectorRegisters);
        EXPECT_EQ(blocks.parts, 1);
        size.m = 512;
        EXPECT_FALSE(chooseContractionBlocks(size, level).streamsRhs);
      }
}

// Rows that are read whole follow each other in memory; several threads then take parts of k. What fits a cache, what
// has as many sums as elements of rhs, and batches enough for all threads stay whole.
TEST(Schedules, LongStreamsAreCutAlongK) {
  for (const CPULevel &level : allCPULevels()) {
    auto choose = [&](int64_t batch, int64_t m, int64_t n, int64_t k) {
      ContractionSize size{batch, m, n, k, level.contractionRates[2]};
      size.mayPackLhs = size.mayPackRhs = size.mayStreamRhs = size.mayCut = true;
      return chooseContractionBlocks(size, level);
    };
    for (int64_t m : {1, 2, 4}) {
      const ContractionBlocks blocks = choose(1, m, 4096, 4096);
      EXPECT_EQ(blocks.parts, 8) << level.name << ' ' << m;
      EXPECT_TRUE(blocks.streamsRhs);
      EXPECT_GE(blocks.blockN, 4096);
      EXPECT_EQ(blocks.blockK, 8);
    }
    EXPECT_EQ(choose(1, 1, 128, 784).parts, 1) << level.name;
    EXPECT_EQ(choose(16, 1, 4096, 4096).parts, 1) << level.name;
    EXPECT_EQ(choose(1, 512, 4096, 4096).parts, 1) << level.name;
    EXPECT_LT(choose(1, 4, 65536, 64).parts, 8) << level.name;
  }
}
