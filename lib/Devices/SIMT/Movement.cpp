// Shuffles, asynchronous copies, conversions, checked accesses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Functions.h"
#include "mp/Numerics/Float.h"

#include <cstring>

using namespace mp;

// PTX ISA 9.7.9, "shfl.sync"

namespace {
struct ShuffleOperands {
  uint32_t mask, value, offset, clamp;
};
struct ShuffleResult {
  uint32_t value;
  uint8_t isInRange;
};
} // namespace

static void shuffleTogether(const Gathering &warp) {
  enum { Butterfly, Up, Down, Index }; // NVVM's ShflKind
  warp.forEachLane([&](unsigned lane) {
    const auto &operands = warp.operands<ShuffleOperands>(lane);
    const uint32_t offset = operands.offset & 31, clamp = operands.clamp & 31, segment = operands.clamp >> 8 & 31;
    const uint32_t last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    uint32_t source = lane;
    bool isInRange = false;
    switch (warp.site->immediates[0]) {
    case Up:
      source = lane - offset;
      isInRange = static_cast<int32_t>(source) >= static_cast<int32_t>(last);
      break;
    case Down:
      source = lane + offset;
      isInRange = source <= last;
      break;
    case Butterfly:
      source = lane ^ offset;
      isInRange = source <= last;
      break;
    case Index:
      source = first | (offset & ~segment);
      isInRange = source <= last;
      break;
    }
    if (!isInRange)
      source = lane;
    // What another lane holds is undefined.
    if (!(warp.mask >> source & 1))
      warp.block.fail(warp.lanes[lane], warp.site, "takes the value of lane ", source, ", which does not take part");
    auto *result = static_cast<std::byte *>(warp.lanes[lane].results);
    std::memcpy(result, &warp.operands<ShuffleOperands>(source).value, sizeof(uint32_t));
    result[offsetof(ShuffleResult, isInRange)] = std::byte(isInRange);
  });
}

void mp::shuffle(const Call &call) {
  call.meet(call.as<ShuffleOperands>().mask, shuffleTogether, Convergence::Qualifiers);
}

// PTX ISA 9.7.9, "cp.async", "cp.async.commit_group", "cp.async.wait_group"

// Nothing says when a copy is made, only that it is when its group was waited for. It is made then and not before,
// so that whoever relies on more is found out.

void mp::asyncCopy(const Call &call) {
  struct Operands {
    std::byte *to;
    const std::byte *from;
    uint32_t copied;
  };
  const auto &operands = call.as<Operands>();
  const uint32_t bytes = call.immediate(0);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    call.block().fail(call.thread, call.site, "copies ", bytes, " bytes, expected 4, 8 or 16");
  if (operands.copied > bytes)
    call.block().fail(call.thread, call.site, "reads ", operands.copied, " bytes to write ", bytes);
  // Both addresses are aligned to the bytes written, even where fewer are read.
  if ((reinterpret_cast<uintptr_t>(operands.to) | reinterpret_cast<uintptr_t>(operands.from)) % bytes != 0)
    call.block().fail(call.thread, call.site, "copies ", bytes, " bytes from ", operands.from, " to ", operands.to,
                      ", which is not aligned to them");
  call.block().expectShared(call.thread, call.site, operands.to, bytes);
  const PendingCopy copy{operands.to, operands.from, operands.copied, bytes, call.site};
  if (call.block().options.checksMemory())
    if (std::string fault = call.block().checks.startCopy(call.thread, copy); !fault.empty())
      call.block().fail(call.thread, call.site, fault);
  call.thread.copies.push_back(copy);
  ++call.thread.uncommitted;
}

void mp::asyncCommit(const Call &call) {
  call.thread.groups.push_back(call.thread.uncommitted);
  call.thread.uncommitted = 0;
}

static void land(SimulatedThread &thread, const PendingCopy &copy) {
  SimulatedBlock &block = *thread.home;
  if (block.options.checksMemory())
    if (std::string fault = block.checks.landCopy(thread, copy); !fault.empty())
      block.fail(thread, copy.site, fault);
  std::memcpy(copy.to, copy.from, copy.copied);
  std::memset(copy.to + copy.copied, 0, copy.bytes - copy.copied);
}

void mp::landCopies(SimulatedThread &thread, uint32_t groups) {
  size_t landed = 0, ended = 0;
  for (; thread.groups.size() - ended > groups; ++ended)
    for (uint32_t left = thread.groups[ended]; left > 0; --left)
      land(thread, thread.copies[landed++]);
  thread.copies.erase(thread.copies.begin(), thread.copies.begin() + static_cast<ptrdiff_t>(landed));
  thread.groups.erase(thread.groups.begin(), thread.groups.begin() + static_cast<ptrdiff_t>(ended));
}

void mp::asyncWait(const Call &call) { landCopies(call.thread, call.immediate(0)); }

// PTX ISA 9.7.9, "cvt"

/// cvt.rna.tf32.f32: to nearest, ties away from zero; the last 13 bits are 0.
void mp::convertTF32(const Call &call) {
  uint32_t bits = call.as<uint32_t>();
  const bool isFinite = (bits & 0x7f800000) != 0x7f800000;
  if (isFinite)
    bits += 0x1000;
  else if (bits & 0x7fffff)
    bits |= 0x400000;
  call.result<uint32_t>() = bits & ~uint32_t(0x1fff);
}

/// cvt.rn of an f64.
void mp::narrow(const Call &call) {
  const double value = call.as<double>();
  const bool isF16 = call.immediate(0) == static_cast<uint32_t>(SimulatorElement::F16);
  call.result<uint16_t>() = isF16 ? encodeF16(value) : encodeBF16(value);
}

// Accesses of instrumented code

static void touch(const Call &call, AccessKind kind) {
  struct Operands {
    const void *address;
    uint64_t bytes;
  };
  const auto &operands = call.as<Operands>();
  call.block().touch(call.thread, call.site, kind, operands.address, operands.bytes,
                     static_cast<AddressSpace>(call.immediate(0)));
}

void mp::load(const Call &call) { touch(call, AccessKind::Read); }
void mp::store(const Call &call) { touch(call, AccessKind::Write); }
void mp::atomic(const Call &call) { touch(call, AccessKind::Atomic); }
