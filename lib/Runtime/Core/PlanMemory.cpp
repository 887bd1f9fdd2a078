// Where the slices of a launch plan are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/PlanMemory.h"

#include <algorithm>

using namespace mp;
using namespace mp::executable;

void mp::forEachSlice(const CommandT &command, const std::function<void(const BufferSlice &)> &visit) {
  if (const LaunchT *launch = command.what.AsLaunch()) {
    for (const Buffer &buffer : launch->buffers)
      visit(buffer.slice());
  } else if (const CopyT *copy = command.what.AsCopy()) {
    visit(*copy->source);
    visit(*copy->destination);
  } else if (const FillT *fill = command.what.AsFill()) {
    visit(*fill->destination);
  }
}

PlanMemory::PlanMemory(const VariantT &variant) : variant(variant) {
  for (const std::unique_ptr<CommandT> &command : variant.commands)
    forEachSlice(*command, [this](const BufferSlice &slice) { note(slice); });
}

void PlanMemory::setOwn(void *arenaAddress, const void *constantsAddress) {
  arena = static_cast<std::byte *>(arenaAddress);
  constants = static_cast<const std::byte *>(constantsAddress);
}

void PlanMemory::note(const BufferSlice &slice) {
  if (slice.space() == Space::State)
    reach[slice.index()] = std::max(reach[slice.index()], slice.offset() + slice.bytes());
}

/// The block of list[index], checked to be there and to hold `bytes`.
static Status checkBlock(std::span<DeviceMemory *const> list, size_t index, uint64_t bytes, const char *what) {
  if (index >= list.size() || !list[index])
    return makeError(what, " ", index, " is not bound");
  if (list[index]->size() < bytes)
    return makeError(what, " ", index, " is bound to ", list[index]->size(), " bytes, expected ", bytes);
  return Status::success();
}

Status PlanMemory::check(const Bindings &bindings) const {
  for (size_t i = 0; i < variant.arguments.size(); ++i)
    if (variant.arguments[i]->kind != ArgumentKind::State)
      if (Status bound = checkBlock(bindings.arguments, i, *byteCount(*variant.arguments[i]->type), "argument");
          !bound.ok())
        return bound;
  for (size_t i = 0; i < variant.results.size(); ++i)
    if (variant.results[i]->kind != ResultKind::Next)
      if (Status bound = checkBlock(bindings.results, i, *byteCount(*variant.results[i]->type), "result"); !bound.ok())
        return bound;
  for (const auto &[row, bytes] : reach)
    if (Status bound = checkBlock(bindings.state, row, bytes, "state"); !bound.ok())
      return bound;
  return Status::success();
}

std::byte *PlanMemory::resolve(const BufferSlice &slice, const Bindings &bindings) const {
  auto at = [&](DeviceMemory *block) { return static_cast<std::byte *>(block->address()) + slice.offset(); };
  switch (slice.space()) {
  case Space::Arena:
    return arena + slice.offset();
  case Space::State:
    return at(bindings.state[slice.index()]);
  case Space::Argument:
    return at(bindings.arguments[slice.index()]);
  case Space::Result:
    return at(bindings.results[slice.index()]);
  case Space::Constant:
    return const_cast<std::byte *>(constants) + slice.offset();
  }
  return nullptr;
}
