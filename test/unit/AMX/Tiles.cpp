// The tile registers of AMX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intel's Software Developer's Manual says what stops a processor; sums are as units were measured to have them: two
// chains of fused additions over the even and the odd of k, from +0, then their sum on top. No sum is subnormal, nor
// are operands of bf16; those of f16 are numbers. The shared rule of x86: a sum is tiny if it were so with 24 bits and
// any exponent.

#include "AMX/Tiles.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mp::test;

// Configuration

Tiles::Fault Tiles::configure(const std::byte *configuration) {
  constexpr size_t kRowBytesAt = 16, kRowsAt = 48, kEntries = 16;
  uint8_t bytes[kConfigurationBytes];
  std::memcpy(bytes, configuration, sizeof(bytes));
  if (bytes[0] > 1)
    return "a palette above 1";
  if (bytes[0] == 0) {
    release();
    return nullptr;
  }
  if (bytes[1] != 0)
    return "a row to start from";
  for (size_t at = 2; at < kRowBytesAt; ++at)
    if (bytes[at] != 0)
      return "reserved bytes of the configuration are not 0";
  Tiles next;
  for (size_t tile = 0; tile < kEntries; ++tile) {
    uint16_t rowBytes;
    std::memcpy(&rowBytes, bytes + kRowBytesAt + 2 * tile, sizeof(rowBytes));
    const uint8_t rows = bytes[kRowsAt + tile];
    if (tile >= kTiles) {
      if (rows != 0 || rowBytes != 0)
        return "more than 8 tiles are configured";
      continue;
    }
    if (rows > kRows || rowBytes > kRowBytes)
      return "a tile of more than 16 rows of 64 bytes";
    if ((rows == 0) != (rowBytes == 0))
      return "a tile with rows or bytes of a row alone";
    next.registers[tile].rows = rows;
    next.registers[tile].rowBytes = uint8_t(rowBytes);
  }
  *this = next;
  return nullptr;
}

// Memory

static constexpr Tiles::Fault kNotConfigured = "a tile that is not configured";
static constexpr Tiles::Fault kNotWritten = "reads a tile that nothing was written to";

Tiles::Fault Tiles::zero(unsigned tile) {
  if (!isThere(tile))
    return kNotConfigured;
  registers[tile].content = {};
  registers[tile].isWritten = true;
  return nullptr;
}

Tiles::Fault Tiles::load(unsigned tile, const std::byte *rows, int64_t stride) {
  if (Fault fault = zero(tile))
    return fault;
  Register &to = registers[tile];
  for (int64_t row = 0; row < to.rows; ++row)
    std::memcpy(to.content[row].data(), rows + row * stride, to.rowBytes);
  return nullptr;
}

Tiles::Fault Tiles::store(unsigned tile, std::byte *rows, int64_t stride) const {
  const Register &from = registers[tile];
  if (!isThere(tile))
    return kNotConfigured;
  if (!from.isWritten)
    return kNotWritten;
  for (int64_t row = 0; row < from.rows; ++row)
    std::memcpy(rows + row * stride, from.content[row].data(), from.rowBytes);
  return nullptr;
}

// Products

/// `sum`, which was rounded from `wide`; that has the bits that matter here: a product has 22 of them at most.
static float withoutSubnormal(float sum, double wide) {
  constexpr double kTiny = std::numeric_limits<float>::min() * (1 - 0x1p-25);
  return std::fabs(wide) < kTiny ? std::copysign(0.0f, sum) : sum;
}

static float withoutSubnormal(float x) { return withoutSubnormal(x, x); }

static float addProduct(float a, float b, float sum) {
  return withoutSubnormal(std::fma(a, b, sum), double(a) * b + sum);
}

static float readBF16(const std::byte *at) {
  uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
  const uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return withoutSubnormal(value);
}

/// A NaN keeps its payload and is quiet.
static float readF16(const std::byte *at) {
  constexpr uint32_t kInfinity = 31, kQuiet = 0x400000;
  uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
  const uint32_t sign = uint32_t(bits >> 15) << 31, exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
  if (exponent == 0)
    return (sign ? -1.0f : 1.0f) * std::ldexp(float(fraction), -24);
  const uint32_t wide = exponent == kInfinity ? 0x7F800000u | fraction << 13 | (fraction ? kQuiet : 0)
                                              : (exponent + 112) << 23 | fraction << 13;
  const uint32_t whole = sign | wide;
  float value;
  std::memcpy(&value, &whole, sizeof(value));
  return value;
}

Tiles::Fault Tiles::checkProduct(unsigned sums, unsigned lhs, unsigned rhs) const {
  if (sums == lhs || lhs == rhs || sums == rhs)
    return "two operands are one tile";
  if (!isThere(sums) || !isThere(lhs) || !isThere(rhs))
    return kNotConfigured;
  const Register &c = registers[sums], &a = registers[lhs], &b = registers[rhs];
  if (c.rowBytes % 4 != 0 || a.rowBytes % 4 != 0 || b.rowBytes % 4 != 0)
    return "rows that are not whole in 4 bytes";
  if (c.rows != a.rows || a.rowBytes / 4 != b.rows || c.rowBytes != b.rowBytes)
    return "tiles of sizes that do not fit";
  if (!c.isWritten || !a.isWritten || !b.isWritten)
    return kNotWritten;
  return nullptr;
}

Tiles::Fault Tiles::multiply(Operand type, unsigned sums, unsigned lhs, unsigned rhs) {
  if (Fault fault = checkProduct(sums, lhs, rhs))
    return fault;
  constexpr int kHalfBytes = 2, kPairBytes = 4, kSumBytes = 4;
  auto read = type == Operand::BF16 ? readBF16 : readF16;
  Register &to = registers[sums];
  for (int row = 0; row < to.rows; ++row)
    for (int column = 0; column < to.rowBytes / kSumBytes; ++column) {
      float parts[2] = {};
      for (int pair = 0; pair < registers[rhs].rows; ++pair)
        for (int half = 0; half < 2; ++half) {
          const float a = read(&registers[lhs].content[row][pair * kPairBytes + half * kHalfBytes]);
          const float b = read(&registers[rhs].content[pair][column * kPairBytes + half * kHalfBytes]);
          parts[half] = addProduct(a, b, parts[half]);
        }
      std::byte *at = &to.content[row][column * kSumBytes];
      float sum;
      std::memcpy(&sum, at, sizeof(sum));
      sum = withoutSubnormal(withoutSubnormal(sum) + withoutSubnormal(parts[0] + parts[1]));
      std::memcpy(at, &sum, sizeof(sum));
    }
  return nullptr;
}
