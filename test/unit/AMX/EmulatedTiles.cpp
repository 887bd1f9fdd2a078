// Code with tiles of AMX, where the processor has none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is here runs in a signal handler: no memory is allocated, and a fault is written by write() alone.

#include "AMX/EmulatedTiles.h"
#include "AMX/TileInstruction.h"
#include "AMX/Tiles.h"

#include <dlfcn.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

using namespace mp;
using namespace mp::test;

static thread_local Tiles tiles;
static std::atomic<bool> isThere;
static std::atomic<uint64_t> configurations, loads, stores, products;

// The instruction that a thread stopped at

/// Ends the process.
[[noreturn]] static void stop(const uint8_t *code, const char *name, const char *fault) {
  char text[512];
  Dl_info place = {};
  dladdr(code, &place);
  int length = std::snprintf(text, sizeof(text), "EmulatedTiles: %s at %p in %s: %s; its bytes are", name,
                             static_cast<const void *>(code), place.dli_sname ? place.dli_sname : "a function", fault);
  for (int byte = 0; byte < 4; ++byte)
    length += std::snprintf(text + length, sizeof(text) - length, " %02x", code[byte]);
  text[length++] = '\n';
  if (write(STDERR_FILENO, text, length) != length)
    std::_Exit(1);
  std::abort();
}

static int64_t readRegister(const ucontext_t &thread, int number) {
  static constexpr int kOrder[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                   REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return thread.uc_mcontext.gregs[kOrder[number]];
}

static int64_t strideOf(const ucontext_t &thread, const TileAddress &address) {
  return address.index == TileAddress::kNone ? 0 : readRegister(thread, address.index) * address.scale;
}

/// Without the index.
static std::byte *pointerOf(const ucontext_t &thread, const TileInstruction &instruction) {
  int64_t pointer = instruction.address.displacement;
  if (instruction.address.base == TileAddress::kNextInstruction)
    pointer += thread.uc_mcontext.gregs[REG_RIP] + instruction.bytes;
  else if (instruction.address.base != TileAddress::kNone)
    pointer += readRegister(thread, instruction.address.base);
  return reinterpret_cast<std::byte *>(pointer); // NOLINT(performance-no-int-to-ptr)
}

static Tiles::Fault execute(const ucontext_t &thread, const TileInstruction &instruction) {
  const auto [operation, bytes, tile, lhs, rhs, address] = instruction;
  std::byte *pointer = pointerOf(thread, instruction);
  const int64_t stride = strideOf(thread, address);
  switch (operation) {
  case TileOperation::Configure:
    ++configurations;
    return tiles.configure(pointer + stride);
  case TileOperation::Release:
    tiles.release();
    return nullptr;
  case TileOperation::Zero:
    return tiles.zero(tile);
  case TileOperation::Load:
    ++loads;
    return tiles.load(tile, pointer, stride);
  case TileOperation::Store:
    ++stores;
    return tiles.store(tile, pointer, stride);
  case TileOperation::MultiplyBF16:
    ++products;
    return tiles.multiply(Tiles::Operand::BF16, tile, lhs, rhs);
  case TileOperation::MultiplyF16:
    ++products;
    return tiles.multiply(Tiles::Operand::F16, tile, lhs, rhs);
  }
  return "unknown";
}

static void onUnknownInstruction(int, siginfo_t *, void *context) {
  auto &thread = *static_cast<ucontext_t *>(context);
  auto &next = thread.uc_mcontext.gregs[REG_RIP];
  const auto *code = reinterpret_cast<const uint8_t *>(next); // NOLINT(performance-no-int-to-ptr)
  const std::optional<TileInstruction> instruction = decodeTileInstruction(code);
  if (!instruction)
    stop(code, "an instruction", "neither the processor nor the emulation of tiles knows it");
  if (Tiles::Fault fault = execute(thread, *instruction))
    stop(code, nameOf(instruction->operation), fault);
  next += instruction->bytes;
}

// Installing it

EmulatedTiles::EmulatedTiles() {
  if (isThere.exchange(true)) {
    std::fputs("EmulatedTiles: there is one already\n", stderr);
    std::abort();
  }
  for (auto *count : {&configurations, &loads, &stores, &products})
    *count = 0;
  struct sigaction action = {};
  action.sa_sigaction = onUnknownInstruction;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, &before);
}

EmulatedTiles::~EmulatedTiles() {
  sigaction(SIGILL, &before, nullptr);
  isThere = false;
}

TileCounts EmulatedTiles::counts() { return {configurations, loads, stores, products}; }

static bool isOfTiles(std::string_view feature) {
  return feature == "amx-tile" || feature == "amx-bf16" || feature == "amx-fp16";
}

bool EmulatedTiles::provides(std::string_view feature) { return isThere && isOfTiles(feature); }

TileSource mp::test::findTiles(const CPULevel &level, const std::vector<std::string> &features) {
  auto has = [&](std::string_view feature) { return std::ranges::count(features, feature) > 0; };
  if (std::ranges::all_of(level.features, has))
    return TileSource::Processor;
  auto hasOrEmulates = [&](std::string_view feature) { return has(feature) || isOfTiles(feature); };
  return !has("amx-tile") && std::ranges::all_of(level.features, hasOrEmulates) ? TileSource::Emulation
                                                                                : TileSource::Nothing;
}
