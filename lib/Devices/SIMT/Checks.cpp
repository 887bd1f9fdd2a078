// Faults in how a kernel uses memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Checks.h"

#include <algorithm>
#include <cstring>
#include <sstream>

using namespace mp;

template <typename... Parts> static std::string text(const Parts &...parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

static const char *verbOf(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "reads";
  case AccessKind::Write:
    return "writes";
  case AccessKind::Atomic:
    return "updates";
  }
  return "";
}

void Checks::start(std::span<const SimulatedBuffer> memory, const std::byte *sharedMemory, uint32_t bytes) {
  buffers = memory;
  shared = reinterpret_cast<uintptr_t>(sharedMemory);
  sharedBytes = bytes;
  if (cells.size() < bytes)
    cells.resize(bytes);
  clocks.restart();
}

bool Checks::isShared(const Access &access) const {
  return access.space == AddressSpace::Shared ||
         (access.space == AddressSpace::Generic && access.address - shared < kSharedWindow);
}

std::string Checks::check(const SimulatedThread &thread, const SimulatorSite *site, const Access &access) {
  if (access.bytes == 0) // of the code's constants
    return "";
  return isShared(access) ? checkShared(thread, site, access) : checkGlobal(access);
}

// Shared memory

std::string Checks::checkShared(const SimulatedThread &thread, const SimulatorSite *site, const Access &access) {
  const uint64_t offset = access.address - shared;
  const bool isInside = offset <= sharedBytes && access.bytes <= sharedBytes - offset;
  if (!isInside)
    return options.bounds ? text(verbOf(access.kind), " ", access.bytes, " bytes at ", static_cast<int64_t>(offset),
                                 " of shared memory, which has ", sharedBytes)
                          : "";
  if (!options.races && !options.uninitialized)
    return "";
  for (uint64_t at = offset; at < offset + access.bytes; ++at)
    if (std::string fault = checkByte(cells[at], thread, site, access.kind); !fault.empty())
      return text(verbOf(access.kind), " byte ", at, " of shared memory, ", fault);
  return "";
}

void Checks::noteReader(Cell &cell, const Trace &reader) const {
  // In place of the same thread, of one who is ordered before, or of the second.
  for (Trace &known : cell.readers)
    if (known.stamp.thread == reader.stamp.thread || clocks.isBefore(known.stamp, reader.stamp.thread)) {
      known = reader;
      return;
    }
  cell.readers[1] = reader;
}

std::string Checks::checkByte(Cell &cell, const SimulatedThread &thread, const SimulatorSite *site, AccessKind kind) {
  const auto isUnordered = [&](const Trace &trace) {
    return trace.site && !clocks.isBefore(trace.stamp, thread.thread);
  };
  const bool writes = kind != AccessKind::Read, isAtomic = kind == AccessKind::Atomic;
  if (options.races) {
    if (cell.copier.site && clocks.isCurrent(cell.copier.stamp))
      return text("into which a copy that thread ", cell.copier.stamp.thread, " started at ", cell.copier.site->text,
                  " has not landed");
    if (isUnordered(cell.writer) && !(isAtomic && cell.isAtomic))
      return text("a race with thread ", cell.writer.stamp.thread, ", which wrote it at ", cell.writer.site->text,
                  " with no barrier between");
    if (writes)
      for (const Trace &reader : cell.readers)
        if (isUnordered(reader))
          return text("a race with thread ", reader.stamp.thread, ", which read it at ", reader.site->text,
                      " with no barrier between");
  }
  if (options.uninitialized && kind != AccessKind::Write && !(cell.writer.site && clocks.isCurrent(cell.writer.stamp)))
    return "to which nothing was written";
  const Trace trace{clocks.now(thread.thread), site};
  if (writes) {
    cell.writer = trace;
    cell.isAtomic = isAtomic;
  } else {
    noteReader(cell, trace);
  }
  return "";
}

std::string Checks::startCopy(const SimulatedThread &thread, const PendingCopy &copy) {
  const Access write{AccessKind::Write, AddressSpace::Shared, reinterpret_cast<uintptr_t>(copy.to), copy.bytes};
  if (std::string fault = checkShared(thread, copy.site, write); !fault.empty())
    return fault;
  const uint64_t offset = write.address - shared;
  const bool isInside = offset <= sharedBytes && copy.bytes <= sharedBytes - offset;
  if (options.races && isInside)
    for (uint64_t at = offset; at < offset + copy.bytes; ++at)
      cells[at].copier = {clocks.now(thread.thread), copy.site};
  return "";
}

std::string Checks::landCopy(const SimulatedThread &thread, const PendingCopy &copy) {
  const uint64_t offset = reinterpret_cast<uintptr_t>(copy.to) - shared;
  if (options.races && offset <= sharedBytes && copy.bytes <= sharedBytes - offset)
    for (uint64_t at = offset; at < offset + copy.bytes; ++at)
      cells[at].copier = {};
  const Access read{AccessKind::Read, AddressSpace::Global, reinterpret_cast<uintptr_t>(copy.from), copy.copied};
  if (std::string fault = copy.copied ? checkGlobal(read) : ""; !fault.empty())
    return fault;
  return checkShared(thread, copy.site,
                     {AccessKind::Write, AddressSpace::Shared, reinterpret_cast<uintptr_t>(copy.to), copy.bytes});
}

// Global memory

/// Where an address that is in no buffer lies, seen from the nearest.
static std::string describeAddress(uintptr_t address, std::span<const SimulatedBuffer> buffers) {
  std::string nearest = "in no buffer";
  uint64_t least = ~uint64_t(0);
  for (size_t index = 0; index < buffers.size(); ++index) {
    const auto begin = reinterpret_cast<uintptr_t>(buffers[index].data), end = begin + buffers[index].bytes;
    const uint64_t distance = address < begin ? begin - address : address - begin;
    const uint64_t outside = address < begin ? begin - address : address < end ? 0 : address - end;
    if (outside >= least)
      continue;
    least = outside;
    nearest = text(address < begin ? "-" : "", distance, " of buffer ", index, ", which has ", buffers[index].bytes);
  }
  return nearest;
}

std::string Checks::checkGlobal(const Access &access) {
  const auto holds = [&](const SimulatedBuffer &buffer) {
    const uint64_t offset = access.address - reinterpret_cast<uintptr_t>(buffer.data);
    return offset <= buffer.bytes && access.bytes <= buffer.bytes - offset;
  };
  const auto buffer = std::find_if(buffers.begin(), buffers.end(), holds);
  if (buffer == buffers.end()) {
    const bool isFault = options.bounds && access.space == AddressSpace::Global;
    return isFault
               ? text(verbOf(access.kind), " ", access.bytes, " bytes at ", describeAddress(access.address, buffers))
               : "";
  }
  const auto index = buffer - buffers.begin();
  const uint64_t offset = access.address - reinterpret_cast<uintptr_t>(buffer->data);
  if (options.bounds && access.kind != AccessKind::Read && !buffer->isWritable)
    return text(verbOf(access.kind), " byte ", offset, " of buffer ", index, ", which is only read");
  if (!options.uninitialized || !buffer->initialized)
    return "";
  uint8_t *first = buffer->initialized + offset;
  if (access.kind != AccessKind::Write)
    if (const void *missing = std::memchr(first, 0, access.bytes))
      return text(verbOf(access.kind), " byte ", static_cast<const uint8_t *>(missing) - buffer->initialized,
                  " of buffer ", index, ", to which nothing was written");
  if (access.kind != AccessKind::Read)
    std::memset(first, 1, access.bytes);
  return "";
}
