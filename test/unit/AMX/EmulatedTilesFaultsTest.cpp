// What ends a process that emulates tiles: faults of a processor, and content that nobody wrote.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMX/EmulatedTiles.h"
#include "AMX/Tiles.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

using namespace mp::test;

using Bytes = std::vector<std::byte>;

static void setTile(Bytes &configuration, size_t tile, uint8_t rows, uint16_t rowBytes) {
  std::memcpy(&configuration[16 + 2 * tile], &rowBytes, sizeof(rowBytes));
  configuration[48 + tile] = std::byte(rows);
}

/// A configuration of all eight tiles, which `change` changes.
static Bytes configurationWith(const std::function<void(Bytes &)> &change) {
  Bytes configuration(Tiles::kConfigurationBytes);
  configuration[0] = std::byte(1);
  for (size_t tile = 0; tile < Tiles::kTiles; ++tile)
    setTile(configuration, tile, 16, 64);
  change(configuration);
  return configuration;
}

TEST(TileFaults, OfConfigurations) {
  auto byte = [](size_t at, int value) { return [=](Bytes &bytes) { bytes[at] = std::byte(value); }; };
  auto tile = [](size_t number, int rows, int rowBytes) {
    return [=](Bytes &bytes) { setTile(bytes, number, rows, rowBytes); };
  };
  const std::pair<std::function<void(Bytes &)>, const char *> cases[] = {
      {byte(0, 2), "a palette above 1"},
      {byte(1, 1), "a row to start from"},
      {byte(2, 1), "reserved bytes of the configuration are not 0"},
      {byte(15, 1), "reserved bytes of the configuration are not 0"},
      {tile(8, 1, 4), "more than 8 tiles are configured"},
      {tile(15, 16, 0), "more than 8 tiles are configured"},
      {tile(3, 17, 64), "a tile of more than 16 rows of 64 bytes"},
      {tile(3, 16, 65), "a tile of more than 16 rows of 64 bytes"},
      {tile(3, 16, 320), "a tile of more than 16 rows of 64 bytes"},
      {tile(7, 16, 0), "a tile with rows or bytes of a row alone"},
      {tile(0, 0, 64), "a tile with rows or bytes of a row alone"},
  };
  for (const auto &[change, fault] : cases) {
    Tiles tiles;
    EXPECT_STREQ(tiles.configure(configurationWith(change).data()), fault);
    EXPECT_STREQ(tiles.zero(0), "a tile that is not configured") << "it has changed nothing";
  }
  Tiles tiles;
  EXPECT_EQ(tiles.configure(configurationWith(tile(7, 0, 0)).data()), nullptr);
  EXPECT_EQ(tiles.zero(6), nullptr);
  EXPECT_STREQ(tiles.zero(7), "a tile that is not configured");
  EXPECT_EQ(tiles.configure(configurationWith(byte(0, 0)).data()), nullptr);
  EXPECT_STREQ(tiles.zero(6), "a tile that is not configured");
}

TEST(TileFaults, OfTilesWithoutContent) {
  Tiles tiles;
  Bytes memory(1024);
  EXPECT_STREQ(tiles.load(0, memory.data(), 64), "a tile that is not configured");
  EXPECT_STREQ(tiles.store(0, memory.data(), 64), "a tile that is not configured");
  ASSERT_EQ(tiles.configure(configurationWith([](Bytes &) {}).data()), nullptr);
  EXPECT_STREQ(tiles.store(0, memory.data(), 64), "reads a tile that nothing was written to");
  EXPECT_EQ(tiles.zero(0), nullptr);
  EXPECT_EQ(tiles.store(0, memory.data(), 64), nullptr);
  tiles.release();
  EXPECT_STREQ(tiles.store(0, memory.data(), 64), "a tile that is not configured");
}

TEST(TileFaults, OfProducts) {
  auto multiply = [](Tiles &tiles, unsigned sums = 0, unsigned lhs = 1, unsigned rhs = 2) {
    return tiles.multiply(Tiles::Operand::BF16, sums, lhs, rhs);
  };
  auto write = [](Tiles &tiles, std::initializer_list<unsigned> numbers) {
    for (unsigned tile : numbers)
      ASSERT_EQ(tiles.zero(tile), nullptr);
  };
  constexpr const char *kOne = "two operands are one tile", *kSizes = "tiles of sizes that do not fit",
                       *kEmpty = "reads a tile that nothing was written to";
  Tiles tiles;
  EXPECT_STREQ(multiply(tiles), "a tile that is not configured");
  ASSERT_EQ(tiles.configure(configurationWith([](Bytes &) {}).data()), nullptr);
  write(tiles, {1, 2});
  EXPECT_STREQ(multiply(tiles), kEmpty);
  EXPECT_STREQ(multiply(tiles, 1, 0, 2), kEmpty);
  EXPECT_STREQ(multiply(tiles, 1, 2, 0), kEmpty);
  write(tiles, {0});
  EXPECT_EQ(multiply(tiles), nullptr);
  EXPECT_STREQ(multiply(tiles, 0, 0, 2), kOne);
  EXPECT_STREQ(multiply(tiles, 0, 1, 1), kOne);
  EXPECT_STREQ(multiply(tiles, 0, 1, 0), kOne);
  // Sums of 8 x 12 are those of 8 rows of lhs, 12 columns and half as many rows of rhs as lhs has columns.
  struct Sizes {
    int rows[3], rowBytes[3];
    const char *fault;
  };
  for (const Sizes &sizes : {Sizes{{8, 8, 5}, {48, 20, 48}, nullptr}, Sizes{{8, 9, 5}, {48, 20, 48}, kSizes},
                             Sizes{{8, 8, 6}, {48, 20, 48}, kSizes}, Sizes{{8, 8, 5}, {48, 20, 44}, kSizes},
                             Sizes{{8, 8, 5}, {47, 20, 47}, "rows that are not whole in 4 bytes"}}) {
    ASSERT_EQ(tiles.configure(configurationWith([&](Bytes &bytes) {
                                for (size_t tile = 0; tile < 3; ++tile)
                                  setTile(bytes, tile, sizes.rows[tile], sizes.rowBytes[tile]);
                              }).data()),
              nullptr);
    write(tiles, {0, 1, 2});
    EXPECT_STREQ(multiply(tiles), sizes.fault);
  }
}

// The line names the instruction and the fault.
TEST(EmulatedTilesDeathTest, EndsTheProcess) {
  if (findTiles(*mp::findCPULevel("amx-bf16")) == TileSource::Processor)
    GTEST_SKIP() << "this processor has tiles";
  EXPECT_DEATH(
      {
        EmulatedTiles emulated;
        asm volatile("tilezero %tmm3");
      },
      "EmulatedTiles: tilezero at 0x[0-9a-f]+ in .*: a tile that is not configured; its bytes are c4 e2 7b 49");
  EXPECT_DEATH(
      {
        EmulatedTiles emulated;
        asm volatile("ud2");
      },
      "EmulatedTiles: an instruction at 0x[0-9a-f]+ in .*: neither the processor nor the emulation of tiles knows it");
  EXPECT_DEATH(
      {
        EmulatedTiles emulated;
        EmulatedTiles second;
      },
      "EmulatedTiles: there is one already");
  EXPECT_EXIT(
      {
        {
          EmulatedTiles emulated;
        }
        asm volatile("tilezero %tmm3");
      },
      testing::KilledBySignal(SIGILL), "");
}
