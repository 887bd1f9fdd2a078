// What an instruction of AMX says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All have a prefix of three bytes (C4), an opcode and a byte ModRM: Intel's Software Developer's Manual, volume 2,
// "Instruction format", and the page of each.

#include "AMX/TileInstruction.h"

#include <cstring>

using namespace mp::test;

namespace {

/// The fields of the prefix and of ModRM, extended to whole register numbers.
struct Fields {
  unsigned pp, opcode, mod, reg, rm;
  unsigned vvvv;                  // a third register, 0 where there is none
  bool extendsIndex, extendsBase; // by 8
};

/// Where an instruction's operands are.
enum class Form : uint8_t { Memory, RowsInMemory, NoOperand, OneTile, ThreeTiles };

struct Row {
  TileOperation operation;
  const char *name;
  unsigned pp, opcode;
  Form form;
};

// pp: 0 for no prefix, 1 for 66, 2 for F3, 3 for F2.
constexpr Row kRows[] = {
    {TileOperation::Configure, "ldtilecfg", 0, 0x49, Form::Memory},
    {TileOperation::Release, "tilerelease", 0, 0x49, Form::NoOperand},
    {TileOperation::Zero, "tilezero", 3, 0x49, Form::OneTile},
    {TileOperation::Load, "tileloadd", 3, 0x4B, Form::RowsInMemory},
    {TileOperation::Store, "tilestored", 2, 0x4B, Form::RowsInMemory},
    {TileOperation::MultiplyBF16, "tdpbf16ps", 2, 0x5C, Form::ThreeTiles},
    {TileOperation::MultiplyF16, "tdpfp16ps", 3, 0x5C, Form::ThreeTiles},
};

constexpr unsigned kPrefixBytes = 3, kInRegister = 3, kWithSIB = 4, kTiles = 8;

} // namespace

const char *mp::test::nameOf(TileOperation operation) {
  for (const Row &row : kRows)
    if (row.operation == operation)
      return row.name;
  return "?";
}

static std::optional<Fields> readFields(const uint8_t *code) {
  constexpr unsigned kThreeBytePrefix = 0xC4, kMap0F38 = 2;
  if (code[0] != kThreeBytePrefix || (code[1] & 31) != kMap0F38)
    return std::nullopt;
  const unsigned modRM = code[kPrefixBytes + 1];
  const bool isWide = code[2] & 0x80, isVector256 = code[2] & 0x04, extendsReg = !(code[1] & 0x80);
  if (isWide || isVector256 || extendsReg)
    return std::nullopt;
  return Fields{code[2] & 3u, code[kPrefixBytes],           modRM >> 6,        modRM >> 3 & 7,
                modRM & 7,    ~unsigned(code[2]) >> 3 & 15, !(code[1] & 0x40), !(code[1] & 0x20)};
}

static bool hasForm(const Fields &f, Form form) {
  switch (form) {
  case Form::Memory:
    return f.mod != kInRegister && f.reg == 0 && f.vvvv == 0;
  case Form::RowsInMemory:
    return f.mod != kInRegister && f.rm == kWithSIB && f.vvvv == 0;
  case Form::NoOperand:
    return f.mod == kInRegister && f.reg == 0 && f.rm == 0 && f.vvvv == 0;
  case Form::OneTile:
    return f.mod == kInRegister && f.rm == 0 && f.vvvv == 0;
  case Form::ThreeTiles:
    return f.mod == kInRegister && f.vvvv < kTiles && !f.extendsBase;
  }
  return false;
}

template <typename T> static int64_t take(const uint8_t *&at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  at += sizeof(value);
  return value;
}

/// Of what follows ModRM; `at` is moved behind it.
static TileAddress readAddress(const Fields &f, const uint8_t *&at) {
  constexpr unsigned kNoIndex = 4, kNoBase = 5;
  TileAddress address;
  unsigned base = f.rm;
  if (f.rm == kWithSIB) {
    const unsigned sib = *at++;
    const unsigned index = (sib >> 3 & 7) + (f.extendsIndex ? 8 : 0);
    base = sib & 7;
    address.scale = 1u << (sib >> 6);
    if (index != kNoIndex)
      address.index = int(index);
  }
  if (f.mod == 0 && base == kNoBase) {
    address.base = f.rm == kWithSIB ? TileAddress::kNone : TileAddress::kNextInstruction;
    address.displacement = take<int32_t>(at);
    return address;
  }
  address.base = int(base + (f.extendsBase ? 8 : 0));
  if (f.mod == 1)
    address.displacement = take<int8_t>(at);
  if (f.mod == 2)
    address.displacement = take<int32_t>(at);
  return address;
}

std::optional<TileInstruction> mp::test::decodeTileInstruction(const uint8_t *code) {
  const std::optional<Fields> fields = readFields(code);
  if (!fields)
    return std::nullopt;
  for (const Row &row : kRows) {
    if (row.pp != fields->pp || row.opcode != fields->opcode || !hasForm(*fields, row.form))
      continue;
    TileInstruction instruction{row.operation, 0, fields->reg, 0, 0, {}};
    const uint8_t *end = code + kPrefixBytes + 2;
    if (row.form == Form::Memory || row.form == Form::RowsInMemory)
      instruction.address = readAddress(*fields, end);
    if (row.form == Form::ThreeTiles) {
      instruction.lhs = fields->rm;
      instruction.rhs = fields->vvvv;
    }
    instruction.bytes = unsigned(end - code);
    return instruction;
  }
  return std::nullopt;
}
